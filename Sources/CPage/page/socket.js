// SPDX-License-Identifier: LGPL-2.1-or-later

const firstWait = 500, longestWait = 10000, replyWait = 10000, askWait = 5000, headerSize = 16;

/** Returns a message as JSON. Replaces single surrogates by U+FFFD, because the server would refuse the whole message. */
const written = (message) => JSON.stringify(message,
  (_, value) => (typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value));

/** Returns the URL of a file on the server. It is relative to the page, so it contains the path prefix of a proxy. */
export const address = (path) => new URL(path, new URL(".", location.href)).href;

/**
 * The connection to the pipeline. If it is lost, the page reconnects automatically. The waits between attempts grow from 0.5 s to
 * 10 s.
 *
 * Events: `link` when the state has changed, and `frame` with a frame in `detail`. Each text message, except replies, causes an
 * event with the type of the message as its name and the message in `detail`.
 */
export class Connection extends EventTarget {
  /** One of "connecting", "open", "lost", "denied" and "full". */
  state = "connecting";
  /** Time of the next connection attempt, in ms since the epoch. Only valid if the state is "lost" or "full". */
  nextAttempt = 0;
  #socket = null;
  #waiting = new Map();
  #lastId = 0;
  #wait = firstWait;
  #timer = 0;

  /** Connects immediately, even if the time of the next attempt has not come. */
  connect() {
    clearTimeout(this.#timer);
    if (this.#socket && this.#socket.readyState <= WebSocket.OPEN) return;
    const url = new URL(address("socket"));
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = firstWait;
      this.#enter("open");
      if (document.hidden) this.send({ type: "visible", visible: false });
    };
    socket.onmessage = (event) => { this.#receive(event.data); };
    socket.onclose = (event) => { this.#closed(socket, event.code); };
  }

  /** Sends a message that gets no reply. If there is no connection, does nothing. */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(written(message));
  }

  /**
   * Sends a message and waits for its reply.
   * @returns {Promise<Object>} the reply. If the pipeline refuses the message or does not answer, the promise is rejected with the
   *   reason
   */
  request(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return Promise.reject(new Error("The request was not sent: the page has no connection to the pipeline."));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { this.#settle(id, new Error("The pipeline did not answer within 10 seconds.")); }, replyWait);
      this.#waiting.set(id, { resolve, reject, timer });
      this.send({ ...message, id });
    });
  }

  #settle(id, outcome) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (outcome instanceof Error) waiting.reject(outcome);
    else if (outcome.ok) waiting.resolve(outcome);
    else waiting.reject(new Error(outcome.reason || "The pipeline refused the request and gave no reason."));
  }

  #receive(data) {
    if (data instanceof ArrayBuffer) {
      if (data.byteLength <= headerSize) return;
      const head = new DataView(data, 0, headerSize);
      this.#tell("frame", {
        number: head.getUint32(0, true), width: head.getUint16(4, true), height: head.getUint16(6, true),
        picture: new Blob([new Uint8Array(data, headerSize)], { type: "image/jpeg" }),
      });
      return;
    }
    let message;
    try { message = JSON.parse(data); } catch { return; }
    if (message.type === "reply") this.#settle(message.id, message);
    else if (typeof message.type === "string") this.#tell(message.type, message);
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  #enter(state) {
    this.state = state;
    this.#tell("link", state);
  }

  async #closed(socket, code) {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, new Error("The connection was lost. The pipeline may not have received the change."));
    const wait = this.#wait * (0.75 + Math.random() / 2);
    this.#wait = Math.min(longestWait, this.#wait * 1.7);
    this.nextAttempt = Date.now() + wait;
    this.#timer = setTimeout(() => { this.connect(); }, wait);
    // Keep the states "denied" and "full" until the request below has shown the new state.
    if (this.state === "open" || this.state === "connecting") this.#enter("lost");
    // Browsers do not report why a WebSocket handshake failed. So the page sends an ordinary request and reads the
    // status of the answer.
    let status = 0;
    try {
      const options = { cache: "no-store", credentials: "same-origin", signal: AbortSignal.timeout?.(askWait) };
      status = (await fetch(address("./"), options)).status;
    } catch { /* no server */ }
    const state = status === 403 ? "denied" : status === 503 || code === 1013 ? "full" : "lost";
    if (this.#socket === socket && this.state !== state) this.#enter(state);
  }
}
