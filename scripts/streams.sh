# shellcheck shell=bash
# Lists the states of streams, which svpublish reports. Sourced by command.sh.

# streams [ADDRESS [TOPIC]] [KEY=VALUE ...], or streams FILE ...
streams() {
    if (($#)) && [[ -f $1 ]]; then
        cat -- "$@" | show_streams
        return
    fi
    local words=() word username='' password_file='' tls=()
    for word; do
        case $word in
            username=*) username=${word#*=} ;;
            password-file=*) password_file=${word#*=} ;;
            tls-ca-file=*) tls+=(--cafile "${word#*=}") ;;
            tls-cert-file=*) tls+=(--cert "${word#*=}") ;;
            tls-key-file=*) tls+=(--key "${word#*=}") ;;
            *=*) die 2 "unknown key ${word%%=*}: use username, password-file, tls-ca-file, tls-cert-file or tls-key-file" ;;
            *) words+=("$word") ;;
        esac
    done
    ((${#words[@]} <= 2)) || die 2 "too many arguments for streams: use  streams [ADDRESS [TOPIC]]  or  streams FILE ..."
    command -v mosquitto_sub >/dev/null || die 2 "mosquitto_sub is missing: apt install mosquitto-clients"
    subscribe "${words[0]:-tcp://127.0.0.1:1883}" "${words[1]:-+}"
}

# Lists the stream states from the broker at address $1 under topic $2, with username, password_file and tls of the caller.
subscribe() (
    address=$1 scheme='' port=1883
    [[ $address != *@* ]] || die 2 "the address must not contain a user or password: use username= and password-file="
    [[ $address != *://* ]] || scheme=${address%%://*}
    case $scheme in
        '' | tcp | mqtt) ;;
        # Without a CA file, mosquitto_sub checks the broker's certificate against the certificates of the system.
        ssl | tls | mqtts) tls=(--capath /etc/ssl/certs "${tls[@]}") ;;
        *) die 2 "addresses with $scheme:// are not supported: use tcp://HOST:PORT or ssl://HOST:PORT" ;;
    esac
    ((${#tls[@]} == 0)) || port=8883
    host=${address#*://}
    host=${host%/}
    if [[ $host =~ ^\[(.*)\](:([0-9]+))?$ ]]; then
        host=${BASH_REMATCH[1]}
        port=${BASH_REMATCH[3]:-$port}
    elif [[ $host =~ ^([^:]+):([0-9]+)$ ]]; then
        host=${BASH_REMATCH[1]}
        port=${BASH_REMATCH[2]}
    fi
    options=(-h "$host" -p "$port" -t "$2/stats" "${tls[@]}")
    [[ ! $username ]] || options+=(-u "$username")
    password=$(broker_password) || exit
    folder=$(mktemp -d)
    trap 'rm -rf -- "$folder"' EXIT
    # Process lists show arguments, so mosquitto_sub gets the password in its options file. Here, this file is a pipe, so the
    # password is never on the disk.
    ln -s /dev/fd/3 "$folder/mosquitto_sub"
    # The stream states are retained messages and arrive at once. Without --retained-only, the list would also contain messages that
    # arrive meanwhile. After two seconds, mosquitto_sub ends with status 27.
    status=0
    XDG_CONFIG_HOME=$folder mosquitto_sub "${options[@]}" --retained-only -W 2 3< <(subscriber_options "$password") \
        >"$folder/notes" 2>"$folder/errors" || status=$?
    reason=$(head -c 500 "$folder/errors" | tr '\n' ' ' | printable)
    ((status == 0 || status == 27)) || die 1 "cannot read stream states from $address: ${reason:-no broker answers}"
    show_streams <"$folder/notes"
)

# Prints the password: the first line of password_file, or the environment variable of svpublish for the password.
broker_password() {
    local line=${SVPUBLISH_PASSWORD:-}
    # Without a user name, mosquitto_sub does not use a password.
    if [[ ! $username ]]; then
        [[ ! $password_file ]] || die 2 "password-file= has no effect without username=: add username=NAME"
        return
    fi
    if [[ $password_file ]]; then
        [[ -f $password_file && -r $password_file ]] || die 2 "cannot read the password file $password_file"
        IFS= read -r line <"$password_file" || true
        line=${line%$'\r'}
    fi
    ((${#line} < 1000)) || die 2 "the password is too long for mosquitto_sub: use at most 999 bytes"
    printf '%s' "$line"
}

# Prints the options in the user's options file of mosquitto_sub, and an option with password $1 if there is a password.
subscriber_options() {
    cat -- "${XDG_CONFIG_HOME:-$HOME/.config}/mosquitto_sub" 2>/dev/null && echo
    [[ ! $1 ]] || printf -- '-P %s\n' "$1"
}

# Reads stream states, one per line, and prints a table. A stream is silent if its state is older than three of its intervals.
show_streams() {
    tr -d '\0' | LC_ALL=C awk -v now="$(date +%s)" '
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
            if ((state == "playing" || state == "stalled") && limit > 0 && age > limit) state = "silent"
            printf form, substr(text("source"), 1, 200), substr(state, 1, 20), state == "lost" ? "-" : age "s", number("frames"),
                number("acknowledged"), number("waiting"), number("dropped")
        }' | printable
}

# Copies text without characters that could control the terminal or hide other text: control characters (C0, C1 and DEL, except line
# ends), marks that change the direction of text, line separators, and bytes that are not UTF-8.
printable() {
    tr -d '\000-\011\013-\037\177' | { iconv -c -f UTF-8 -t UTF-8 2>/dev/null || true; } | LC_ALL=C sed \
        -e 's/\xc2[\x80-\x9f]//g' -e 's/\xd8\x9c//g' -e 's/\xe2\x80[\x8e\x8f\xa8-\xae]//g' -e 's/\xe2\x81[\xa6-\xa9]//g'
}
