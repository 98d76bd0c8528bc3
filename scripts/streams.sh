# shellcheck shell=bash
# Lists which streams are alive, from the notes of svpublish. Sourced by command.sh.

# streams [ADDRESS [TOPIC]], or streams FILE ...
streams() {
    if (($#)) && [[ -f $1 ]]; then
        cat -- "$@" | show_streams
        return
    fi
    (($# <= 2)) || die 2 "streams takes an address and a topic, or files"
    local address=${1:-tcp://127.0.0.1:1883} topic=${2:-+} host port
    command -v mosquitto_sub >/dev/null || die 2 "mosquitto_sub is missing: apt install mosquitto-clients"
    [[ $address == tcp://* || $address != *://* ]] ||
        die 2 "$address: streams knows tcp://HOST:PORT; for a secure broker give mosquitto_sub's output to a file, and that to streams"
    host=${address#tcp://}
    host=${host%/}
    port=1883
    if [[ $host == *:* ]]; then
        port=${host##*:}
        host=${host%:*}
    fi
    # Ends by itself after a second, with status 27; the notes are retained and come at once.
    { mosquitto_sub -h "$host" -p "$port" -t "$topic/stats" -W 1 2>/dev/null || (($? == 27)); } | show_streams ||
        die 1 "$address: no broker answers there"
}

# Reads notes, one a line, and writes a table. A stream that says nothing for three of its intervals is silent.
show_streams() {
    awk -v now="$(date +%s)" '
        function number(name) {
            return match($0, "\"" name "\":[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : 0
        }
        function text(name) {
            if (!match($0, "\"" name "\":\"([^\"\\\\]|\\\\.)*\"")) return ""
            return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5)
        }
        BEGIN { form = "%-20s %-8s %8s %10s %10s %8s %8s\n"; printf form, "SOURCE", "STATE", "AGE", "FRAMES", "SENT", "WAITING", "DROPPED" }
        /^\{"source":/ {
            state = text("state"); age = now - number("time"); limit = 3 * number("interval")
            if (state == "playing" && limit > 0 && age > limit) state = "silent"
            printf form, text("source"), state, state == "lost" ? "-" : age "s", number("frames"), number("acknowledged"),
                number("waiting"), number("dropped")
        }'
}
