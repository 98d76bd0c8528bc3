# shellcheck shell=bash
# Named pipelines: reads pipelines/NAME.pipeline, puts the keys' values in, gives gst-launch's words.
# Sourced by `launch`.

: "${root:?}"
readonly commands=(list help install test fuzz bench lint doctor) # those of `launch`; other names are pipelines
readonly pipelines=$root/pipelines
readonly default_size=1280x720 default_fps=30 recorded_seconds=10 picture_frame=45

# MARK: Reading the file

name=''            # of the pipeline
body=''            # its gst-launch description
declare -A value   # of each key: the default, then what the user gave
declare -A is_file # keys that name what must be there: a `file`, or a `path`, which may be a folder, too
declare -A instead # keys that replace another one, which is none then
declare -A is_time # keys that are a time, with a unit
has_sound=''       # when a source has sound that is taken along
source_size=''     # of source=FILE, WxH, as far as it is known
frame_rate=0/1     # of the fastest source, as far as it is known
endless=''         # when a source never ends by itself: `drawn`, or `live` for a camera or a stream

# Prints the first comment line of a pipeline file.
summary() {
    local line
    read -r line <"$1" || true
    line=${line#\#}
    echo "${line# }"
}

list_pipelines() {
    local file
    for file in "$pipelines"/*.pipeline; do
        printf '  %-15s %s\n' "$(basename "$file" .pipeline)" "$(summary "$file")"
    done
}

pipeline_file() {
    local file=$pipelines/$1.pipeline
    if [[ $1 == */* || ! -f $file ]]; then
        # shellcheck disable=SC2046  # names have no blanks
        die 2 "no pipeline '$1'; $(suggestion "$1" $(pipeline_names) $(element_names) "${commands[@]}")./launch lists them"
    fi
    REPLY=$file
}

# Prints the comment of a pipeline: what it shows, its keys, and the keys that its window takes.
describe_pipeline() {
    load_pipeline "$1"
    sed -n 's/^# \{0,1\}//p' "$pipelines/$1.pipeline"
    echo "and those of every pipeline, which ./launch help tells: source, sink, size, fps, frames, sound"
    describe_keys "$body"
}

# Sets `name`, `body`, `value`, `is_file` and `is_time` from the file.
load_pipeline() {
    local line kind key declaration='^#[[:space:]]*(key|file|path|time)[[:space:]]+([a-z][a-z0-9-]*)=([^[:space:]]*)'
    pipeline_file "$1"
    name=$1
    value=([source]=test [sink]=auto [size]='' [fps]='' [frames]='' [sound]=yes)
    while IFS= read -r line || [[ $line ]]; do
        if [[ $line =~ $declaration ]]; then
            kind=${BASH_REMATCH[1]} key=${BASH_REMATCH[2]}
            value[$key]=${BASH_REMATCH[3]//'{here}'/$pipelines}
            [[ ! $line =~ [[:space:]]instead\ of\ ([a-z][a-z0-9-]*) ]] || instead[$key]=${BASH_REMATCH[1]}
            case $kind in
                file | path) is_file[$key]=$kind ;;
                time) is_time[$key]=yes ;;
            esac
        elif [[ $line != \#* ]]; then
            body+=" $line"
        fi
    done <"$REPLY"
    [[ $body != *'{source2}'* ]] || value[source2]=${value[source2]:-test}
}

# MARK: The user's keys

set_key() {
    local key=${1%%=*}
    [[ $1 == *=* ]] || die 2 "'$1' is not key=value"
    if [[ ! $key =~ ^[a-z][a-z0-9-]*$ || ! -v value[$key] ]]; then
        die 2 "$name has no key '$key'; $(suggestion "$key" "${!value[@]}")it takes $(printf '%s\n' "${!value[@]}" | sort | paste -sd ' ')"
    fi
    value[$key]=${1#*=}
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
        value[$key]=$REPLY
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

# MARK: Words for gst-launch

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

words=() # of the finished description
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
    local parts word tail
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
        if [[ $word =~ ^([a-z0-9_]+::)?([a-z-]+)=\{([a-z][a-z0-9-]*)\}$ ]]; then
            local pad=${BASH_REMATCH[1]} property=${BASH_REMATCH[2]} text=${value[${BASH_REMATCH[3]}]:-}
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
                    [[ -v value[${BASH_REMATCH[2]}] ]] || die 2 "$name.pipeline: {${BASH_REMATCH[2]}} is not declared"
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

# Sets `fragment` to the source that key $1 names, as raw video; the other arguments are its test pattern's.
source_words() {
    local key=$1 from=${value[$1]} size=${value[size]} fps=${value[fps]} device video_caps=''
    local turn=('!' videoconvert '!' videoflip video-direction=auto)
    shift
    case $from in
        test)
            endless=${endless:-drawn}
            fragment=(videotestsrc "$@")
            size=${size:-$default_size} fps=${fps:-$default_fps}
            keep_rate "$(fraction "$fps")"
            fragment+=('!' "video/x-raw,width=${size%x*},height=${size#*x},framerate=$(fraction "$fps")")
            if [[ $key == source && ${value[scene]:-} ]]; then
                quote "${value[scene]}"
                fragment+=('!' svtestscene "scene=$REPLY")
            fi
            return
            ;;
        webcam | /dev/video*)
            endless=live
            device=$from
            [[ $from != webcam ]] || device=$(first_camera)
            [[ $print || -e $device ]] || die 2 "$key=$from: there is no camera at $device"
            # The wanted size is a preference: a camera that lacks it gives what it has.
            quote "$device"
            fragment=(v4l2src "device=$REPLY" '!' capsfilter "caps=\"$(camera_caps "${size:-$default_size}")\"")
            fragment+=('!' decodebin '!' videoconvert)
            ;;
        [A-Za-z]*://*)
            quote "$from"
            fragment=(uridecodebin "uri=$REPLY")
            take_sound "$key" "${fragment[@]}"
            fragment+=("${turn[@]}")
            [[ $from == file://* ]] || endless=live
            ;;
        *)
            need_file "$key"
            quote "$from"
            fragment=(filesrc "location=$REPLY")
            # A pipe is read once.
            if [[ ! -p $from ]] && can_decode; then
                find_pictures "$key" "$from" "${fragment[@]}" '!' decodebin
                video_caps=$REPLY
            fi
            case ${from,,} in
                # jpegparse by name: decodebin passes it over in GStreamer 1.22, and the orientation is lost.
                *.jpg | *.jpeg) fragment+=('!' jpegparse '!' jpegdec) ;;
                *) fragment+=('!' decodebin) ;;
            esac
            case ${from,,} in
                *.jpg | *.jpeg | *.png | *.webp | *.bmp | *.gif | *.tif | *.tiff | *.svg)
                    fragment+=("${turn[@]}")
                    endless=${endless:-drawn} fps=${fps:-$default_fps}
                    keep_rate "$(fraction "$fps")"
                    fragment+=('!' imagefreeze '!' "video/x-raw,framerate=$(fraction "$fps")")
                    fps=''
                    ;;
                *)
                    take_sound "$key" "${fragment[@]}"
                    fragment+=("${turn[@]}" '!' progressreport name="$key" update-freq=2)
                    ;;
            esac
            ;;
    esac
    if [[ $key == source && $video_caps ]]; then
        caps_field width && source_size=$REPLY
        caps_field height && source_size+=x$REPLY
    fi
    if [[ $fps ]]; then
        keep_rate "$(fraction "$fps")"
    elif caps_field framerate; then
        keep_rate "$REPLY"
    fi
    if [[ $size ]]; then
        fragment+=('!' videoscale '!' "video/x-raw,width=${size%x*},height=${size#*x},pixel-aspect-ratio=1/1")
    fi
    if [[ $fps ]]; then
        fragment+=('!' videorate '!' "video/x-raw,framerate=$(fraction "$fps")")
    fi
}

# Takes the sound of key $1's source, which the other words decode, along where there is some, by a name for the decoder.
# Of two sources, the first one's is heard.
take_sound() {
    [[ $1 == source && ${value[sound]} == yes && ${value[sink]} != null && ${value[sink]} != *.png ]] || return 0
    if [[ -p ${value[source]} ]]; then
        # It is read once, by the pipeline.
        say "source=${value[source]} is a pipe: without its sound, if it has any"
        return
    fi
    can_decode || return 0
    decode_beginning audio "${@:2}"
    [[ $REPLY ]] || return 0
    fragment+=(name=media)
    has_sound=yes
}

# Has the sound end with the last of `frames` frames, in pieces as long as a frame. Needs their rate.
cut_sound() {
    if [[ $frame_rate == 0/* ]]; then
        say "frames=$frames of a source whose rate is not known: without its sound, unless fps= says the rate"
        sound=()
    else
        # A sound that begins later than the pictures begins with silence, so that pieces can be counted.
        sound=(identity single-segment=true '!' audiorate '!' audiobuffersplit
            "output-buffer-duration=${frame_rate#*/}/${frame_rate%/*}" '!' "$@" "${sound[@]}")
    fi
}

# Keeps the highest rate of the sources in `frame_rate`, which is that of what is made of them.
keep_rate() {
    if ((${1%/*} * ${frame_rate#*/} > ${frame_rate%/*} * ${1#*/})); then frame_rate=$1; fi
}

# H.264 and VP8 in files of every player have colours for blocks of 2x2 pixels.
check_evenness() {
    local width=${value[size]%x*} height=${value[size]#*x}
    if [[ ${value[size]} =~ [13579](x|$) ]]; then
        die 2 "size=${value[size]}: a recording has an even width and height, such as $((width + width % 2))x$((height + height % 2))"
    elif [[ ! ${value[size]} && $source_size =~ [13579](x|$) ]]; then
        say "source=${value[source]} is $source_size; a recording has an even width and height, so it is a little smaller"
    fi
}

# Sets REPLY to the value of a field of `video_caps`; fails where it has none.
caps_field() {
    [[ $video_caps =~ [[:space:],]$1=\([a-z]+\)([^,[:space:]]+) ]] && REPLY=${BASH_REMATCH[1]}
}

fraction() {
    if [[ $1 == */* ]]; then echo "$1"; else echo "$1/1"; fi
}

first_camera() {
    local camera=/dev/video0
    for camera in /dev/video*; do
        [[ ! -e $camera ]] || break
    done
    echo "${camera/'*'/0}"
}

camera_caps() {
    local wanted="width=${1%x*},height=${1#*x}"
    echo "video/x-raw,$wanted;image/jpeg,$wanted;video/x-raw;image/jpeg"
}

# Sets `fragment` to what the key sink names, and `sound` to what the sound goes through.
sink_words() {
    local to=${value[sink]} frames=${value[frames]} even note notes=() muxer=()
    if [[ $to == auto ]]; then
        if [[ ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
            to=window
        else
            to=$name.mp4
            notes+=("no display: recording to $PWD/$to")
        fi
    fi
    if [[ $to == *.png ]]; then
        frames=${frames:-$picture_frame}
    elif [[ ! $frames && $to == *.* ]] && [[ $endless == drawn || ($endless && ${value[sink]} == auto) ]]; then
        # What never ends is cut, but for a camera or a stream that is recorded by name.
        frames=$(recorded_frames)
        notes+=("it stops after $recorded_seconds seconds; frames=N says otherwise")
    fi
    sound=()
    case $to in
        null) fragment=(fakesink sync=false) ;;
        window)
            [[ $print || ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || die 2 "sink=window: there is no display here"
            fragment=(videoconvert '!' autovideosink)
            sound=(autoaudiosink)
            ;;
        *.mp4 | *.mkv | *.webm | *.png)
            check_output "$to"
            quote "$to"
            [[ ! $has_sound ]] || muxer=(name=muxer)
            even='video/x-raw,format=I420,width=[2,32768,2],height=[2,32768,2],pixel-aspect-ratio=1/1'
            fragment=(videoconvert '!' videoscale '!' "$even" '!')
            case $to in
                *.mp4) fragment+=(x264enc tune=zerolatency speed-preset=veryfast bitrate=4000 '!' mp4mux "${muxer[@]}" '!') ;;
                *.mkv) fragment+=(x264enc tune=zerolatency speed-preset=veryfast bitrate=4000 '!' matroskamux "${muxer[@]}" '!') ;;
                *.webm) fragment+=(vp8enc deadline=1 cpu-used=8 threads=4 target-bitrate=4000000 '!' webmmux "${muxer[@]}" '!') ;;
                *.png)
                    # Each frame replaces the file, so that the last one stays. The name is a printf format.
                    quote "${to//%/%%}"
                    fragment=(videoconvert '!' pngenc compression-level=1 '!' multifilesink "location=$REPLY")
                    ;;
            esac
            case $to in
                *.mp4) sound=(avenc_aac '!' muxer.) ;;
                *.mkv | *.webm) sound=(opusenc '!' muxer.) ;;
            esac
            if [[ $to != *.png ]]; then
                fragment+=(filesink "location=$REPLY")
                check_evenness "$to"
            fi
            ;;
        *) die 2 "sink=$to: give auto, window, null, or a file that ends in .mp4, .mkv, .webm or .png" ;;
    esac
    [[ $has_sound ]] || sound=()
    if [[ $frames ]]; then
        # An identity ends the stream at the buffer after the last one that it lets through, and lets all later
        # ones through again. The queue stops those, but for one that may be waiting at its door just then;
        # that one is the second identity's to stop.
        local last=(queue max-size-buffers=2 '!' identity eos-after=$((frames + 1)) '!' identity eos-after=$((frames + 1)) '!')
        fragment=("${last[@]}" "${fragment[@]}")
        [[ ! ${sound[*]} ]] || cut_sound "${last[@]}"
    fi
    [[ ! ${sound[*]} ]] || sound=(media. '!' audioconvert '!' audioresample '!' queue '!' "${sound[@]}")
    for note in "${notes[@]}"; do say "$note"; done
}

# Prints the number of frames in a recording of `recorded_seconds`.
recorded_frames() {
    local fps
    fps=$(fraction "${value[fps]:-$default_fps}")
    echo $(((recorded_seconds * ${fps%/*} + ${fps#*/} - 1) / ${fps#*/}))
}

check_output() {
    local key folder
    folder=$(dirname -- "$1")
    [[ -d $folder ]] || die 2 "sink=$1: there is no folder $folder"
    [[ -w $folder || -w $1 ]] || die 2 "sink=$1: $folder is not writable"
    [[ ! -d $1 ]] || die 2 "sink=$1 is a folder"
    for key in "${!value[@]}"; do
        [[ $key == sink || ! ${value[$key]} || ! $1 -ef ${value[$key]} ]] || die 2 "sink=$1 is also $key="
    done
}

# MARK: Running

# Prints the arguments as one line that a shell reads back.
shell_line() {
    local word line=''
    for word; do
        if [[ ! $word =~ ^([A-Za-z0-9_./:,@%+=-]+|!)$ ]]; then
            word="'${word//\'/\'\\\'\'}'"
        fi
        line+="$word "
    done
    echo "${line% }"
}

# Runs or prints the pipeline $1 with the keys that follow.
run_pipeline() {
    local pair
    load_pipeline "$1"
    shift
    for pair; do set_key "$pair"; done
    check_values
    describe
    local command=(gst-launch-1.0 -e --no-fault --no-position "${words[@]}")
    if [[ $print ]]; then
        shell_line "GST_PLUGIN_PATH=$root/.build/release" "${command[@]}"
        return
    fi
    ensure_plugin
    use_plugin
    check_mode
    exec "${command[@]}"
}
