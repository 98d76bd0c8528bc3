# shellcheck shell=bash
# Makes the words of the gst-launch-1.0 description: the pipeline file with the values of the keys. Sourced by `command.sh`.

# gst-launch-1.0 joins its arguments with spaces and parses the result, so quote() quotes a value for this parser. Double quotes
# protect spaces and most other characters, but not quotes and backslashes: gst-launch-1.0 1.22 counts them wrongly when it joins
# the arguments, and a backslash at the end escapes the next character. A value with these characters becomes a string literal of
# GStreamer, \"...\", with these bytes in octal.
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

words=()    # words of the finished description
settings=() # element, property, and the key that sets the property, separated by spaces
sound=() # words of the description for the sound

# The start of a number that changes over time, as in the elements' property animate. The element checks the rest.
readonly fade='^((beat *=|after +|hold +).*,)? *[-+.0-9]+ *-> *[-+.0-9]+ *@ *[0-9.]'
declare -A animations      # animations of the current element, by pad prefix (`sink_1::`, or empty)
declare -A animation_place # index of each animation in `words`

# Adds the change $3 of property $2 to the property animate of pad $1 (`sink_1::`, or nothing for the element itself).
animate() {
    local all=${animations[.$1]:+${animations[.$1]},}$2=$3
    local place=${animation_place[.$1]:-${#words[@]}}
    animations[.$1]=$all
    animation_place[.$1]=$place
    quote "$all"
    words[place]="$1animate=$REPLY"
}

# Prints the description in the pipeline file without the lines of absent sources: a line that begins with {source3?} needs a source.
used_lines() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^[[:space:]]*\{(source[23])\?\}(.*)$ ]]; then
            [[ ${value[${BASH_REMATCH[1]}]} != none ]] || continue
            line=${BASH_REMATCH[2]}
        fi
        printf '%s\n' "$line"
    done <<<"$body"
}

# The elements that save snapshots of their output.
readonly snapshot_elements=' svblend svblobclassify svblobdetect svedges svfacedetect svfacemerge svfacerecognize svfilter svlogodetect svmixer svoverlay svswitch svtint svzones '

# Lets element $1, the last element before the sink, save snapshots after a key press. A page of a web sink can send keys, too, so a
# page needs the path of the user. Without this path, the properties are always `none`: svblend and svfacemerge have other defaults.
snapshot_words() {
    local path=${value[snapshots]}
    [[ $snapshot_elements == *" $1 "* ]] || return 0
    sink_target
    case $sink_kind in
        window) path=${path:-$name-%05d.png} ;;
        web) path=${path:-none} ;;
        *) path='' ;;
    esac
    [[ $path ]] || return 0
    quote "$path"
    words[-1]="snapshot-location=$REPLY"
    # With layout=studio, the key s of svfacemerge saves the hybrid.
    [[ $1 != svfacemerge ]] || words+=("save-location=$REPLY")
    words+=('!')
}

# Sets `words` to the pipeline file, split at spaces, with the placeholders replaced.
describe() {
    local parts word tail element='' before='!'
    read -r -d '' -a parts < <(used_lines) || true
    # The sink depends on the sources: whether they end, and whether they have sound. So the sources come first.
    source_words source pattern=chroma-zone-plate kx2=2 ky2=2 kt=2
    local source=("${fragment[@]}") source2=() source3=()
    if [[ ${value[source2]:-none} != none ]]; then
        source_words source2 pattern=pinwheel
        source2=("${fragment[@]}")
    fi
    if [[ ${value[source3]:-none} != none ]]; then
        source_words source3 pattern=ball
        source3=("${fragment[@]}")
    fi
    sink_words
    local sink=("${fragment[@]}")
    for word in "${parts[@]}"; do
        [[ $word != '{sink}' ]] || snapshot_words "$element"
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
            '{source3}') words+=("${source3[@]}") ;;
            '{sink}') words+=("${sink[@]}") ;;
            svswitch)
                switch_words
                words+=("$word" "${fragment[@]}")
                ;;
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

# Prints the arguments as one command line for a shell, with `***` instead of secrets.
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
