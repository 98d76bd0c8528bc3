# shellcheck shell=bash
# The values that the user gives to a pipeline's keys. Sourced by `launch`.

set_key() {
    local key=${1%%=*}
    [[ $1 == *=* ]] || die 2 "'$1' is not key=value"
    if [[ ! $key =~ ^[a-z][a-z0-9-]*$ || ! -v value[$key] ]]; then
        die 2 "$name has no key '$key'; $(suggestion "$key" "${!value[@]}")it takes $(printf '%s\n' "${!value[@]}" | sort | paste -sd ' ')"
    fi
    value["$key"]=${1#*=}
    [[ ${value[$key]} ]] || die 2 "$key= needs a value"
    if [[ ${instead[$key]:-} ]]; then
        value[${instead[$key]}]=none
        unset "is_file[${instead[$key]}]"
    fi
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
        || die 2 "size=${value[size]}: a size is WxH, such as 1280x720"
    [[ ! ${value[fps]} || ${value[fps]} =~ ^[1-9][0-9]{0,2}$|^[1-9][0-9]{0,5}/[1-9][0-9]{0,3}$ ]] \
        || die 2 "fps=${value[fps]}: a rate is a whole number, such as 30, or a fraction, such as 30000/1001"
    [[ ! ${value[frames]} || ${value[frames]} =~ ^[1-9][0-9]{0,8}$ ]] \
        || die 2 "frames=${value[frames]}: a count is a whole number from 1 on"
    [[ ${value[sound]} == yes || ${value[sound]} == no ]] || die 2 "sound=${value[sound]}: yes or no"
}

# A wrong mode of a mixer's input gst-launch 1.22 drops without a word.
check_mode() {
    local mode=${value[mode]:-}
    [[ ! $mode ]] && return
    # Not -q: gst-inspect would fail when nobody reads on.
    [[ $mode =~ ^[a-z-]+$ ]] && gst-inspect-1.0 svblend | grep -E "^ +\([0-9]+\): $mode +- " >/dev/null && return
    die 2 "mode=$mode: no such blend mode; gst-inspect-1.0 svblend lists them"
}

# Sets REPLY to the time that key $1 tells, in nanoseconds, as elements take it.
nanoseconds() {
    local time=${value[$1]} fraction unit
    local -A length=([ns]=1 [us]=1000 [ms]=1000000 [s]=1000000000 [m]=60000000000 [h]=3600000000000)
    if [[ $time =~ ^[0-9]{1,18}$ ]]; then
        REPLY=$((10#$time))
        return
    fi
    [[ $time =~ ^([0-9]{1,9})(\.([0-9]{1,9}))?(ns|us|ms|s|m|h)$ ]] \
        || die 2 "$1=$time: a time is a number with ns, us, ms, s, m or h, such as 500ms or 1.5s"
    unit=${length[${BASH_REMATCH[4]}]} fraction=${BASH_REMATCH[3]}
    ((10#${BASH_REMATCH[1]} <= 9000000000000000000 / unit)) || die 2 "$1=$time: that is too long"
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
    [[ $path ]] || die 2 "$1= needs a value"
    if [[ ${is_file[$1]:-} == path ]]; then
        [[ -e $path ]] || die 2 "$1=$path: there is no such file or folder"
    else
        [[ -e $path ]] || die 2 "$1=$path: there is no such file"
    fi
    [[ -f $path || -p $path || (-d $path && ${is_file[$1]:-} == path) ]] || die 2 "$1=$path is not a file"
    [[ -r $path ]] || die 2 "$1=$path cannot be read"
}
