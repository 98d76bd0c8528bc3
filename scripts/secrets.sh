# shellcheck shell=bash
# Passwords and stream keys: reads values from the environment, and replaces secrets in messages by `***`. Sourced by `command.sh`.

secrets=() # values that came from the environment, and stream keys
declare -A from_environment # keys whose value came from the environment

# If the value of key $1 is env:NAME, replaces the value by the value of the environment variable NAME.
read_variable() {
    local variable=${value[$1]#env:} text
    unset "from_environment[$1]"
    [[ ${value[$1]} =~ ^env:[A-Za-z_][A-Za-z0-9_]*$ ]] || return 0
    text=$(printenv -- "$variable") || die 2 "$1=env:$variable: the environment variable $variable is not set: export $variable"
    value["$1"]=$text from_environment["$1"]=yes
    [[ $text ]] || return 0
    secrets+=("$text")
    quote "$text"
    [[ $REPLY == *"$text"* ]] || secrets+=("$REPLY")
}

# Sets REPLY to $1 with `***` instead of secrets: values from the environment, properties with the name of a secret, and users,
# queries and RTMP stream keys in URIs. The runner hides the same parts of URIs.
mask() {
    local secret scheme
    REPLY=$1
    for secret in "${secrets[@]}"; do
        scheme=''
        [[ ! $secret =~ ^[A-Za-z][A-Za-z0-9+.-]*:// ]] || scheme=${BASH_REMATCH[0]}
        REPLY=${REPLY//"$secret"/"$scheme***"}
    done
    if [[ $REPLY =~ ^(([a-z0-9_]+::)?([a-z-]+-)?(key|pass|passphrase|passwd|password|pw|secret|streamid|token)=).+$ ]]; then
        REPLY="${BASH_REMATCH[1]}***"
    fi
    if [[ $REPLY =~ ^(.*://)[^/?#\"[:space:]]*@(.*)$ ]]; then REPLY="${BASH_REMATCH[1]}***@${BASH_REMATCH[2]}"; fi
    if [[ $REPLY =~ ^(.*://[^?\"[:space:]]*\?)[^\"[:space:]]+(.*)$ ]]; then REPLY="${BASH_REMATCH[1]}***${BASH_REMATCH[2]}"; fi
    if [[ $REPLY =~ ^(.*rtmp[a-z]*://[^/\"[:space:]]+/[^?\"[:space:]]*/)[^/?\"[:space:]]+(.*)$ ]]; then
        REPLY="${BASH_REMATCH[1]}***${BASH_REMATCH[2]}"
    fi
}
