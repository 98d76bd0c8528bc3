# shellcheck shell=bash
# Sets and checks the values of a pipeline's keys. Sourced by `command.sh`.

: "${program:?}" "${source_keys[0]:?}"

set_key() {
    local key=${1%%=*}
    [[ $1 == *=* ]] || die 2 "'$1' is not a setting: use key=value"
    if [[ ! $key =~ ^[a-z][a-z0-9-]*$ || ! -v value[$key] ]]; then
        die 2 "$name has no key '$key'; $(suggestion "$key" "${!value[@]}")valid keys: $(printf '%s\n' "${!value[@]}" | sort | paste -sd ' ')"
    fi
    value["$key"]=${1#*=}
    read_variable "$key"
    [[ ${value[$key]} ]] || die 2 "$key= has no value: use $key=VALUE"
    is_given["$key"]=yes
    if [[ ${instead[$key]:-} ]]; then
        value[${instead[$key]}]=none
        unset "is_file[${instead[$key]}]"
    fi
}

# Sets the defaults that depend on another key of the user.
choose_defaults() {
    local key other default
    for key in "${!default_with[@]}"; do
        read -r other default <<<"${default_with[$key]}"
        [[ ! ${is_given[$other]:-} || ${is_given[$key]:-} ]] || value["$key"]=$default
    done
}

check_values() {
    local key
    for key in "${!is_file[@]}"; do
        need_file "$key"
    done
    for key in "${!is_time[@]}"; do
        nanoseconds "$key"
        value["$key"]=$REPLY
    done
    [[ ! ${value[size]} || ${value[size]} =~ ^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$ ]] \
        || die 2 "size=${value[size]}: use WxH, such as 1280x720"
    [[ ! ${value[fps]} || ${value[fps]} =~ ^[1-9][0-9]{0,2}$|^[1-9][0-9]{0,5}/[1-9][0-9]{0,3}$ ]] \
        || die 2 "fps=${value[fps]}: use a whole number, such as 30, or a fraction, such as 30000/1001"
    [[ ! ${value[frames]} || ${value[frames]} =~ ^[1-9][0-9]{0,8}$ ]] \
        || die 2 "frames=${value[frames]}: use a whole number of 1 or more"
    [[ ${value[snapshots]:-none} == none || -d $(dirname -- "${value[snapshots]}") ]] \
        || die 2 "snapshots=${value[snapshots]}: the folder $(dirname -- "${value[snapshots]}") does not exist"
    for key in "${source_keys[@]}"; do
        check_flip "flip${key#source}"
        check_controls_form "camera${key#source}"
    done
    [[ ! ${value[on-loss]} || ${value[on-loss]} =~ ^(hold|wait|card|stop)$ ]] \
        || die 2 "on-loss=${value[on-loss]}: use hold (last frame), wait (no frames), card (placeholder image) or stop"
    for key in sound models; do
        [[ ${value[$key]} == yes || ${value[$key]} == no ]] || die 2 "$key=${value[$key]}: use yes or no"
    done
}

check_flip() {
    [[ ${value[$1]:-none} =~ ^(none|mirror|90|180|270)$ ]] \
        || die 2 "$1=${value[$1]}: use none, mirror, 90, 180 or 270 (degrees clockwise)"
}

# Ends if the controls in key $1 are not names and whole numbers. Bash reads a number with leading zeros as octal. Removes spaces.
check_controls_form() {
    local setting='[a-z0-9_]+=-?(0|[1-9][0-9]{0,8})' controls=${value[$1]:-}
    [[ $controls ]] || return 0
    controls=${controls// /}
    [[ $controls =~ ^$setting(,$setting)*$ ]] \
        || die 2 "$1=${value[$1]}: use NAME=NUMBER,NAME=NUMBER with whole numbers without leading zeros, such as $1='focus_absolute=30'. To list the controls: $program cameras"
    value["$1"]=$controls
}

# Ends if the user's value is not a value of an element's property. gst-launch-1.0 1.22 does not suggest a similar value, and
# ignores an invalid value for a mixer's input without a message.
check_choices() {
    local setting element property key text choices
    for setting in "${settings[@]}"; do
        read -r element property key <<<"$setting"
        text=${value[$key]}
        [[ ${is_given[$key]:-} && ! $text =~ ^-?[0-9]+$ ]] || continue
        choices=$(choices "$element" "$property")
        [[ $choices && $'\n'$choices$'\n' != *$'\n'"$text"$'\n'* ]] || continue
        # shellcheck disable=SC2086  # names of values have no blanks
        die 2 "$key=$text: unknown value of the property $property of $element; $(suggestion "$text" $choices)valid values: $(paste -sd ' ' <<<"$choices")"
    done
}

# Prints the value names of a property of an element or of its inputs, one per line. Prints nothing if the property is not a choice.
choices() {
    gst-inspect-1.0 "$1" 2>/dev/null | awk -v property="$2" '
        $2 ~ /^:/ || ($1 ~ /^[a-z][a-z0-9-]+:$/ && $1 != "flags:") { inside = ($1 == property || $1 == property ":"); choice = 0 }
        inside && $1 == "Enum" { choice = 1; next }
        inside && choice && $1 ~ /^\(-?[0-9]+\):$/ { print $2 }'
}

# Sets REPLY to the time in key $1, in nanoseconds.
nanoseconds() {
    local time=${value[$1]} fraction unit
    local -A length=([ns]=1 [us]=1000 [ms]=1000000 [s]=1000000000 [m]=60000000000 [h]=3600000000000)
    if [[ $time =~ ^[0-9]{1,18}$ ]]; then
        REPLY=$((10#$time))
        return
    fi
    [[ $time =~ ^([0-9]{1,9})(\.([0-9]{1,9}))?(ns|us|ms|s|m|h)$ ]] \
        || die 2 "$1=$time: use a number with the unit ns, us, ms, s, m or h, such as 500ms or 1.5s"
    unit=${length[${BASH_REMATCH[4]}]} fraction=${BASH_REMATCH[3]}
    ((10#${BASH_REMATCH[1]} <= 9000000000000000000 / unit)) || die 2 "$1=$time: the time is too long: use a time of up to 285 years"
    REPLY=$((10#${BASH_REMATCH[1]} * unit))
    # Digits after the point count tenths, hundredths, and so on.
    while [[ $fraction ]]; do
        unit=$((unit / 10))
        REPLY=$((REPLY + ${fraction:0:1} * unit))
        fraction=${fraction:1}
    done
}

need_file() {
    local path=${value[$1]}
    [[ $path ]] || die 2 "$1= has no value: use $1=FILE"
    if [[ ${is_file[$1]:-} == path ]]; then
        [[ -e $path ]] || die 2 "$1=$path: no such file or folder"
    else
        [[ -e $path ]] || die 2 "$1=$path: no such file"
    fi
    [[ -f $path || -p $path || (-d $path && ${is_file[$1]:-} == path) ]] || die 2 "$1=$path is not a file"
    [[ -r $path ]] || die 2 "cannot read $1=$path"
}
