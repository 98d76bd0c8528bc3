# shellcheck shell=bash
# The words of gst-launch's description: a pipeline's file, with the keys' values put in. Sourced by `command.sh`.

# gst-launch joins its arguments with blanks and parses the result, so a value is quoted for that parser. Blanks
# and most signs may stand between double quotes. A quote or a backslash may not: gst-launch 1.22 loses count of
# them when it joins, and a backslash at the end takes the next sign with it. Such a value is written as
# GStreamer's own string literal, \"...\", with those bytes in octal.
quote() {
    local LC_ALL=C text=$1 byte index octal
    if [[ $text =~ ^[A-Za-z0-9_./:,@%+-]+$ ]]; then
        REPLY=$text
    elif [[ $text != *[\"\\]* ]]; then
        REPLY="\"$text\""
    else
        REPLY='\"'
        for ((index = 0; index < ${#text}; index++)); do
            byte=${text:index:1}
            if [[ $byte != [A-Za-z0-9_./:+-] ]]; then
                printf -v octal '%d' "'$byte"
                printf -v byte '\\\\%03o' $((octal & 255))
            fi
            REPLY+=$byte
        done
        REPLY+='\"'
    fi
}

words=()    # of the finished description
settings=() # an element, its property, and the key whose value this gets, with blanks between
sound=() # its part for the sound

# A number that changes by itself, as elements' property animate takes it.
readonly fade='^-?[0-9.]+->-?[0-9.]+@[0-9.]+(ms|s)?( +(linear|smooth))?$'
declare -A animations      # of the element that is being described: by the pad's name and ::, or none
declare -A animation_place # their places in `words`

# Adds property $2 of the pad $1 (`sink_1::`, or nothing for the element itself) with the fade $3, as a part of its animate.
animate() {
    local all=${animations[.$1]:+${animations[.$1]},}$2=$3
    local place=${animation_place[.$1]:-${#words[@]}}
    animations[.$1]=$all
    animation_place[.$1]=$place
    quote "$all"
    words[place]="$1animate=$REPLY"
}

# Sets `words`: the file split on blanks, placeholders replaced.
describe() {
    local parts word tail element='' before='!'
    read -r -d '' -a parts <<<"$body" || true
    # The sink depends on whether the sources end, and have sound, so they come first.
    source_words source pattern=chroma-zone-plate kx2=2 ky2=2 kt=2
    local source=("${fragment[@]}") source2=()
    if [[ -v value[source2] ]]; then
        source_words source2 pattern=pinwheel
        source2=("${fragment[@]}")
    fi
    sink_words
    for word in "${parts[@]}"; do
        [[ $before != '!' ]] || element=$word
        before=$word
        if [[ $word =~ ^([a-z0-9_]+::)?([a-z-]+)=\{([a-z][a-z0-9-]*)\}$ ]]; then
            local pad=${BASH_REMATCH[1]} property=${BASH_REMATCH[2]} text=${value[${BASH_REMATCH[3]}]:-}
            settings+=("$element $property ${BASH_REMATCH[3]}")
            if [[ $text =~ $fade ]]; then
                animate "$pad" "$property" "$text"
                continue
            fi
        fi
        [[ $word != '!' && $word != '{'* ]] || animations=() animation_place=()
        case $word in
            '{source}') words+=("${source[@]}") ;;
            '{source2}') words+=("${source2[@]}") ;;
            '{sink}') words+=("${fragment[@]}") ;;
            *)
                tail=''
                while [[ $word =~ ^(.*)\{([a-z][a-z0-9-]*)\}(.*)$ ]]; do
                    [[ -v value[${BASH_REMATCH[2]}] ]] || die 2 "$name.pipeline uses {${BASH_REMATCH[2]}} without a declaration: add the line  # key ${BASH_REMATCH[2]}=VALUE"
                    word=${BASH_REMATCH[1]} tail=${BASH_REMATCH[3]}$tail
                    quote "${value[${BASH_REMATCH[2]}]}"
                    tail=$REPLY$tail
                done
                words+=("$word$tail")
                ;;
        esac
    done
    words+=("${sound[@]}")
}

# Prints the arguments as one line that a shell reads back, with `***` in place of secrets.
print_line() {
    local word line='' has_secrets=''
    for word; do
        mask "$word"
        [[ $REPLY == "$word" ]] || has_secrets=yes
        word=$REPLY
        if [[ ! $word =~ ^([A-Za-z0-9_./:,@%+=-]+|!)$ ]]; then
            word="'${word//\'/\'\\\'\'}'"
        fi
        line+="$word "
    done
    echo "${line% }"
    [[ ! $has_secrets ]] || say "*** stands for a password or a key: replace *** by the secret before you run the command"
}
