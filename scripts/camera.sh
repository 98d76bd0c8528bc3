# shellcheck shell=bash
# Cameras of this machine: the elements that play a camera, and the list of cameras. Sourced by `command.sh`.

: "${program:?}" "${print=}"

# MARK: Queries

unset -v monitored # answer of gst-device-monitor-1.0

# Sets `monitored` to the cameras that GStreamer finds, or to nothing if the program for this query is missing. The query takes
# seconds, so it runs only once.
monitor() {
    [[ ! -v monitored ]] || return 0
    monitored=''
    command -v gst-device-monitor-1.0 >/dev/null || return 0
    monitored=$(LC_ALL=C timeout 5 gst-device-monitor-1.0 Video/Source 2>/dev/null </dev/null) || true
}

# Prints the answer of v4l2-ctl. Prints nothing if v4l2-ctl is missing or fails.
v4l2() {
    command -v v4l2-ctl >/dev/null || return 0
    LC_ALL=C timeout 5 v4l2-ctl "$@" 2>/dev/null </dev/null || true
}

# Prints the path and the name of each camera, separated by a tab. Needs the answer of `monitor`.
camera_names() {
    local device
    {
        v4l2 --list-devices | awk '
            /^[^ \t]/ { name = $0; sub(/( \([^()]*\))?:$/, "", name) }
            /^[ \t]+\/dev\/video/ { print $1 "\t" name }'
        awk '
            $1 == "name" { sub(/^[^:]*: */, ""); name = $0 }
            $1 == "device.path" || $1 == "api.v4l2.path" { gsub(/"/, "", $3); print $3 "\t" name }' <<<"$monitored"
        for device in /dev/video*; do
            [[ ! -e $device ]] || printf '%s\t\n' "$device"
        done
    } | awk -F '\t' '!known[$1]++'
}

# Sets REPLY to the modes of camera $1, one per line: media type, width, height and frame rate. Ranges have the form 48-1920, or
# 48-1920:16 with a step. The rate is - if it is unknown.
camera_modes() {
    REPLY=$(v4l2_modes "$1")
    [[ ! $REPLY ]] || return 0
    monitor
    REPLY=$(monitored_modes "$1")
}

# Prints the modes of camera $1 that GStreamer reports. Needs the answer of `monitor`.
monitored_modes() {
    awk -v device="$1" '
        function field(name) {
            if (!match($0, " " name "=(\\[[^]]*\\]|[{][^}]*[}]|[^,;]*)")) return "-"
            return substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
        }
        function range(text,   part) {
            if (text !~ /^\[/) return text
            gsub(/[][ ]/, "", text)
            split(text, part, ",")
            return part[1] "-" part[2] (part[3] > 1 ? ":" part[3] : "")
        }
        function finish() { if (path == device) printf "%s", modes; path = modes = "" }
        /^Device found/ { finish() }
        $1 == "device.path" || $1 == "api.v4l2.path" { gsub(/"/, "", $3); path = $3 }
        match($0, /(video\/x-raw|image\/jpeg),/) {
            media = substr($0, RSTART, RLENGTH - 1)
            gsub(/\([a-z]+\)/, "")
            width = range(field("width")); height = range(field("height")); rates = field("framerate")
            if (width !~ /^[0-9]/ || height !~ /^[0-9]/) next
            count = 1; rate[1] = range(rates)
            if (rates ~ /^[{]/) { gsub(/[{} ]/, "", rates); count = split(rates, rate, ",") }
            for (i = 1; i <= count; i++) modes = modes media " " width " " height " " rate[i] "\n"
        }
        END { finish() }' <<<"$monitored"
}

# Prints the modes of camera $1 that v4l2-ctl reports and v4l2src supports.
v4l2_modes() {
    v4l2 --device "$1" --list-formats-ext | awk '
        # Rates have three decimals: 30.000, 29.970 (30000/1001), 8.333 (25/3) or 7.500.
        function fraction(text,   i, thousandths, many) {
            thousandths = int(1000 * text + 0.5)
            many = int(text * 1.001 + 0.5)
            if (thousandths % 500 && thousandths == int(1000000 * many / 1001 + 0.5)) return many * 1000 "/1001"
            many = int(3 * text + 0.5)
            if (many % 3 && thousandths == int(1000 * many / 3 + 0.5)) return many "/3"
            for (i = 1; i <= 1000; i++) if (thousandths * i % 1000 == 0) return thousandths * i / 1000 "/" i
        }
        function range(least, most, step) { return least "-" most (step > 1 ? ":" step : "") }
        function flush() { if (size != "") print media, size, "-"; size = "" }
        match($0, /\047[^\047]+\047/) && /^[ \t]*\[[0-9]+\]:|Pixel Format/ {
            flush()
            code = substr($0, RSTART + 1, RLENGTH - 2); sub(/ +$/, "", code)
            media = ""
            if (code ~ /^(MJPG|JPEG)$/) media = "image/jpeg"
            if (code ~ /^(YUYV|UYVY|YVYU|NV12|NV21|NM12|YU12|YM12|YV12|422P|GREY|Y16|RGB3|BGR3|RGB4|BGR4|[XAB]R24|[RB][XA]24|RGBP)$/)
                media = "video/x-raw"
        }
        media == "" { next }
        $1 == "Size:" {
            flush()
            split($3, least, "x")
            size = least[1] " " least[2]
            if ($2 != "Discrete") {
                split($5, most, "x"); split($8, step, "/")
                size = range(least[1], most[1], step[1]) " " range(least[2], most[2], step[2])
            }
            sized = size
        }
        $1 == "Interval:" && match($0, /\([0-9.]+(-[0-9.]+)? fps\)/) {
            count = split(substr($0, RSTART + 1, RLENGTH - 6), rate, "-")
            print media, sized, fraction(rate[1]) (count > 1 ? "-" fraction(rate[2]) : "")
            size = ""
        }
        END { flush() }'
}

# Prints the controls of camera $1, one per line, with tabs between the fields: name, minimum, maximum, step, default, value, flags,
# and the values of a menu.
camera_controls() {
    v4l2 --device "$1" --list-ctrls-menus | awk '
        function flush() {
            if (name != "") printf "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", name, field["min"], field["max"], field["step"],
                field["default"], field["value"], field["flags"], menu
            name = menu = ""
        }
        match($0, /\((int|int64|bool|menu|intmenu|bitmask)\) *:/) {
            flush()
            name = $1
            split("min max step default value flags", names, " ")
            for (i in names) field[names[i]] = "-"
            if ($0 ~ /\(bool\)/) { field["min"] = 0; field["max"] = field["step"] = 1 }
            count = split(substr($0, RSTART + RLENGTH), words, " ")
            for (i = 1; i <= count; i++) if (split(words[i], pair, "=") == 2) field[pair[1]] = pair[2]
            if (match($0, / flags=/)) field["flags"] = substr($0, RSTART + RLENGTH)
            next
        }
        name != "" && /^[ \t]+[0-9]+: / { sub(/^[ \t]+/, ""); sub(/: /, " = "); menu = menu (menu != "" ? ", " : "") $0; next }
        { flush() }
        END { flush() }'
}

# MARK: The elements

# Sets `fragment` to the elements that play camera $2, the source of key $1. Can change `size` of the caller, as choose_mode does.
webcam_words() {
    local key=$1 device=$2 controls=${value[camera${1#source}]} caps wanted_size
    endless=live
    [[ $print || -e $device || ${value[on-loss]:-stop} != stop ]] || die 2 "$key=${value[$key]}: no camera at $device. To list the cameras: $program cameras"
    [[ ! $controls$size$fps ]] || suggest_packages
    [[ ! $controls ]] || check_controls "camera${key#source}" "$device" "$controls"
    # Without a known mode, the size is a preference: a camera without this size uses another size.
    caps=$(camera_caps "${size:-$default_size}")
    wanted_size=$size
    [[ ! $size$fps ]] || choose_mode "$device"
    [[ $size ]] || is_anamorphic=yes
    if [[ ${value[on-loss]:-stop} != stop ]]; then
        supervised_words "$key" "$device" "$controls"
        return
    fi
    quote "$device"
    fragment=(v4l2src "device=$REPLY")
    if [[ $controls ]]; then
        quote "c,$controls"
        fragment+=("extra-controls=$REPLY")
    fi
    fragment+=('!' capsfilter "caps=\"$caps\"" '!' decodebin)
}

# Sets `fragment` to svurisrc, which plays camera $2 with the controls $3, and opens the camera again after a loss. Uses `caps` and
# `wanted_size` of the caller: a recording needs the size also for the placeholder image. Can change `size` and `fps` of the caller.
supervised_words() {
    fragment=(svurisrc "name=$1" "uri=v4l2://$2" "camera-caps=\"$caps\"")
    [[ ! $3 ]] || fragment+=("camera-controls=\"$3\"")
    loss_words
    if wants_constant_caps; then
        size=${wanted_size:-$default_size} fps=${fps:-$default_fps}
        constant_caps
    fi
}

has_suggested='' # yes after suggest_packages has printed its note

# Prints a note, once, if no program can report the modes and the controls of cameras.
suggest_packages() {
    if [[ $has_suggested ]] || command -v v4l2-ctl >/dev/null || command -v gst-device-monitor-1.0 >/dev/null; then return; fi
    has_suggested=yes
    say "v4l2-ctl is missing, so the modes and controls of cameras are unknown: apt-get install v4l-utils"
}

# Sets `caps` of the caller to the mode of camera $1 that is nearest to `size` and `fps`, and prints this mode. Changes nothing if the
# modes are unknown. If the mode has the wanted size, `size` becomes empty, because the video needs no scaling. `fps` stays,
# because many cameras reduce the rate in dim light.
choose_mode() {
    local media width height rate is_range wanted note=''
    camera_modes "$1"
    read -r media width height rate is_range < <(nearest_mode "$size" "$fps" <<<"$REPLY") || return 0
    caps=$media,width=$width,height=$height
    [[ $rate == - ]] || caps="$caps,framerate=$rate;$caps"
    # Drivers may refuse a size in a range that they report.
    [[ ! $is_range ]] || caps+=";video/x-raw;image/jpeg"
    [[ $fps || $rate == - ]] || keep_rate "$rate"
    wanted="${size:+ with $size}${fps:+ at $fps frames per second}"
    if [[ $size && $size != "${width}x$height" ]] || { [[ $fps && $rate != - ]] && ! is_same_rate "$fps" "$rate"; }; then
        note=", because the camera reports no mode$wanted"
    fi
    describe_mode "$media" "$width" "$height" "$rate"
    say "$1: using $REPLY$note"
    [[ $size != "${width}x$height" || $is_range ]] || size=''
}

# Sets REPLY to a mode for readers, such as "1280x720 (JPEG) at 30 frames per second".
describe_mode() {
    REPLY=$2x$3
    [[ $1 != image/jpeg ]] || REPLY+=" (JPEG)"
    if [[ $4 == - ]]; then REPLY+=" at an unknown rate"; else REPLY+=" at ${4%/1} frames per second"; fi
}

is_same_rate() {
    local first second
    first=$(fraction "$1")
    second=$(fraction "$2")
    ((${first%/*} * ${second#*/} == ${second%/*} * ${first#*/}))
}

# Prints the mode in the input that is nearest to the size $1 and the frame rate $2, and the word `range` if the size comes from a
# range. Without a rate, the highest rate is best. Without a size, the rate counts more than the default size. Fails if the input
# contains no mode.
nearest_mode() {
    local rate_first=''
    [[ $1 ]] || rate_first=yes
    awk -v size="${1:-$default_size}" -v rate="$(fraction "${2:-1000}")" -v rate_first="$rate_first" '
        function number(text,   part) { return split(text, part, "/") > 1 ? part[1] / part[2] : text + 0 }
        # The value in a range, such as 48-1920, that is nearest to the wanted value. With a step, the next higher value, if possible.
        function within(text, wanted,   count, ends, steps, most) {
            count = split(text, ends, /[-:]/)
            if (count < 2 || ends[1] == "") return text
            if (number(wanted) <= number(ends[1])) return ends[1]
            if (count < 3) return number(wanted) > number(ends[2]) ? ends[2] : wanted
            steps = int((wanted - ends[1] + ends[3] - 1) / ends[3])
            most = int((ends[2] - ends[1]) / ends[3])
            return ends[1] + ends[3] * (steps < most ? steps : most)
        }
        # A mode with another shape, or with fewer pixels in a direction, counts as four times as far.
        function size_cost(w, h,   ratio, cost) {
            ratio = w * h / (want[1] * want[2])
            cost = ratio < 1 ? 1 / ratio : ratio
            if (w < want[1] || h < want[2]) cost *= 4
            ratio = w * want[2] / (h * want[1])
            return ratio < 0.99 || ratio > 1.01 ? cost * 4 : cost
        }
        # A lower rate repeats frames, and so counts more than a higher rate. An unknown rate counts more than any known rate.
        function rate_cost(r,   ratio) {
            if (r == "-") return 1e9
            ratio = number(r) / number(rate)
            return ratio < 1 ? 1 / (ratio * ratio + 1e-8) : ratio
        }
        BEGIN { split(size, want, "x") }
        {
            w = within($2, want[1]); h = within($3, want[2]); r = within($4, rate)
            if (w < 1 || h < 1) next
            first = size_cost(w, h); second = rate_cost(r)
            if (rate_first) { first = second; second = size_cost(w, h) }
            raw = $1 == "video/x-raw"
            if (best == "" || first < least || (first == least && (second < next_least || (second == next_least && raw > best_raw)))) {
                best = $1 " " w " " h " " r ($2 $3 ~ /-/ ? " range" : ""); least = first; next_least = second; best_raw = raw
            }
        }
        END { if (best == "") exit 1; print best }'
}

# Ends if the settings $3 of key $1 are not controls of camera $2, read-only or out of range. Without v4l2-ctl, nothing is checked.
check_controls() {
    local list pair name number line menu names least most flags
    list=$(camera_controls "$2")
    [[ $list ]] || return 0
    mapfile -t names < <(cut -f 1 <<<"$list")
    for pair in ${3//,/ }; do
        name=${pair%%=*} number=${pair#*=}
        line=$(awk -F '\t' -v name="$name" '$1 == name' <<<"$list")
        [[ $line ]] || die 2 "$1=$3: $2 has no control '$name'; $(suggestion "$name" "${names[@]}")valid controls: ${names[*]}"
        IFS=$'\t' read -r _ least most _ _ _ flags menu <<<"$line"
        if [[ $flags == *read-only* ]]; then
            die 2 "$1=$pair: $2 does not accept a value for this control, because it is read-only. Remove $pair"
        elif [[ $menu && ", $menu" != *", $number = "* ]]; then
            die 2 "$1=$pair: $2 does not accept this value. Valid values: $menu"
        elif [[ $least != - && $most != - ]] && ((number < least || number > most)); then
            die 2 "$1=$pair: the value is out of range. Use $least to $most"
        fi
    done
}

# MARK: The list

# Lists the cameras, their modes and their controls.
cameras() {
    local device name has_cameras=''
    (($# == 0)) || die 2 "too many arguments for cameras: use  $program cameras"
    monitor
    while IFS=$'\t' read -r device name; do
        has_cameras=yes
        show_camera "$device" "$name" | printable
    done < <(camera_names)
    [[ $has_cameras ]] || die 1 "no camera found: connect a camera, or use source=test or source=FILE"
    command -v v4l2-ctl >/dev/null \
        || say "v4l2-ctl is missing, so the list contains no controls: apt-get install v4l-utils"
}

show_camera() {
    local controls
    echo "$1${2:+  $2}"
    if [[ -e $1 && ! (-r $1 && -w $1) ]]; then
        echo "  no permission for $1. To see a fix: $program doctor"
        return
    fi
    camera_modes "$1"
    if [[ $REPLY ]]; then
        echo "  modes (size=, fps=):"
        show_modes <<<"$REPLY"
    elif command -v v4l2-ctl >/dev/null || command -v gst-device-monitor-1.0 >/dev/null; then
        echo "  no video modes: this device is not a camera, or another program uses it"
    else
        echo "  modes: unknown. To list the modes: apt-get install v4l-utils"
    fi
    controls=$(camera_controls "$1")
    if [[ $controls ]]; then
        echo "  controls (camera='NAME=VALUE,NAME=VALUE'):"
        show_controls <<<"$controls"
    fi
}

# Prints one line for each size and media type, with all frame rates.
show_modes() {
    awk '
        function decimal(text,   part) {
            if (split(text, part, "/") < 2) return text
            return part[1] % part[2] ? sprintf("%.2f", part[1] / part[2]) : part[1] / part[2]
        }
        function flush() {
            if (rates != "") printf "    %-22s %s frames per second\n", mode, rates
            else if (mode != "") print "    " mode
            mode = rates = ""
        }
        {
            split($2, width, /[-:]/)
            current = $2 "x" $3
            if (split($3, height, /[-:]/) > 1) current = width[1] "x" height[1] " to " width[2] "x" height[2]
            if ($1 == "image/jpeg") current = current " (JPEG)"
            if (current != mode) { flush(); mode = current }
            if ($4 == "-" || index(" " rates ", ", " " decimal($4) ", ")) next
            count = split($4, ends, "-")
            rates = rates (rates != "" ? ", " : "") decimal(ends[1]) (count > 1 ? " to " decimal(ends[2]) : "")
        }
        END { flush() }'
}

show_controls() {
    awk -F '\t' '{
        values = $8 != "" ? $8 ";" : $2 == "-" ? "whole number," : $2 " to " $3 ($4 > 1 ? " in steps of " $4 : "") ","
        if ($7 ~ /read-only/) values = "read-only,"
        printf "    %-30s %s default %s, current value %s%s\n", $1, values, $5, $6,
            $7 ~ /inactive/ ? " (inactive: an automatic control sets the value)" : ""
    }'
}
