# shellcheck shell=bash
# What {sink} stands for: a window, a page in a browser, a recording, a picture, nothing. Sourced by `command.sh`.

# Of a recording: H.264 and VP8 that every player plays have colours for blocks of 2x2 pixels.
readonly even='width=[2,32768,2],height=[2,32768,2]' square='pixel-aspect-ratio=1/1'

# Sets REPLY to window, web..., null or the file that the key sink names.
sink_target() {
    REPLY=${value[sink]}
    if [[ $REPLY == auto ]]; then
        REPLY=$name.mp4
        # Who sits at a terminal wants to see it; for a script it is recorded.
        [[ ! -t 1 || ! -t 2 ]] || REPLY=web
        [[ ! ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || REPLY=window
    fi
}

# Sets `fragment` to a page at the address and the port of web[:ADDRESS][:PORT].
web_words() {
    local address=${1#web} port=''
    address=${address#:}
    # An IPv6 address has brackets, so that the port can be told from it.
    if [[ $address =~ ^((\[.*\]|[^:]*):)?([0-9]+)$ ]]; then
        address=${BASH_REMATCH[2]} port=${BASH_REMATCH[3]}
    fi
    address=${address#[} address=${address%]}
    if [[ $address =~ [^0-9A-Za-z.:-] ]] || ((10#${port:-0} > 65535)); then
        die 2 "sink=$1: use web, web:PORT, web:ADDRESS or web:ADDRESS:PORT"
    fi
    fragment=(svwebsink)
    [[ ! $address ]] || fragment+=("address=$address")
    [[ ! $port ]] || fragment+=("port=$port")
}

# Sets REPLY to the format in which pictures are drawn so that nothing between them and the sink converts them; to nothing
# for a window, whose format is found when it opens.
drawn_format() {
    sink_target
    case $REPLY in
        window) REPLY='' ;;
        *.png) REPLY=RGB ;;
        *) REPLY=I420 ;;
    esac
}

# Sets `fragment` to what the key sink names, and `sound` to what the sound goes through.
sink_words() {
    local to frames=${value[frames]} note notes=() muxer=() formats='{I420,NV12,YV12}' shape='' squaring=()
    sink_target
    to=$REPLY
    if [[ ${value[sink]} == auto && $to == web ]]; then
        notes+=("no display: open the address that svwebsink prints in a browser. For a browser on another machine: sink=web:0.0.0.0. To record: sink=$name.mp4")
    elif [[ ${value[sink]} == auto && $to != window ]]; then
        notes+=("no display: recording to $PWD/$to")
    fi
    if [[ $to == *.png ]]; then
        frames=${frames:-$picture_frame}
    elif [[ ! $frames && $to == *.* ]] && [[ $endless == drawn || ($endless && ${value[sink]} == auto) ]]; then
        # What never ends is cut, but for a camera or a stream that is recorded by name.
        frames=$(recorded_frames)
        notes+=("the recording ends after $recorded_seconds seconds; frames=N sets another length")
    fi
    sound=()
    case $to in
        null) fragment=(fakesink sync=false) ;;
        window)
            [[ $print || ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || die 2 "sink=window: this machine has no display. Use sink=web or sink=FILE"
            fragment=(videoconvert '!' autovideosink)
            sound=(autoaudiosink)
            ;;
        web | web:*) web_words "$to" ;;
        *.mp4 | *.mkv | *.webm | *.png)
            check_output "$to"
            quote "$to"
            [[ ! $has_sound ]] || muxer=(name=muxer)
            case $to in
                *.webm) formats=I420 ;; # all that vp8enc takes
            esac
            # Files tell the shape of pixels, so that of an anamorphic source stays: videoscale might drop lines.
            [[ $is_anamorphic ]] || shape=,$square
            fragment=(videoconvert '!' videoscale '!' "video/x-raw,format=$formats,$even$shape" '!')
            case $to in
                *.mp4) fragment+=(x264enc tune=zerolatency speed-preset=veryfast bitrate=4000 '!' mp4mux "${muxer[@]}" '!') ;;
                *.mkv) fragment+=(x264enc tune=zerolatency speed-preset=veryfast bitrate=4000 '!' matroskamux "${muxer[@]}" '!') ;;
                *.webm) fragment+=(vp8enc deadline=1 cpu-used=8 threads=4 target-bitrate=4000000 '!' webmmux "${muxer[@]}" '!') ;;
                *.png)
                    # Each frame replaces the file, so that the last one stays. The name is a printf format.
                    quote "${to//%/%%}"
                    [[ ! $is_anamorphic ]] || squaring=(videoscale '!' "video/x-raw,$square" '!')
                    fragment=(videoconvert '!' "${squaring[@]}" pngenc compression-level=1 '!' multifilesink "location=$REPLY")
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
        *)
            mask "$to"
            die 2 "sink=$REPLY: use auto, window, web, null, or a file that ends in .mp4, .mkv, .webm or .png"
            ;;
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
    [[ -d $folder ]] || die 2 "sink=$1: the folder $folder does not exist"
    [[ -w $folder || -w $1 ]] || die 2 "sink=$1: $folder is not writable"
    [[ ! -d $1 ]] || die 2 "sink=$1 is a folder: use the path of a file"
    for key in "${!value[@]}"; do
        [[ $key == sink || ! ${value[$key]} || ! $1 -ef ${value[$key]} ]] || die 2 "sink=$1 is the same file as $key=: use another file name"
    done
}

# Says what a recording makes of an odd size.
check_evenness() {
    local width=${value[size]%x*} height=${value[size]#*x}
    if [[ ${value[size]} =~ [13579](x|$) ]]; then
        die 2 "size=${value[size]}: a recording needs an even width and height: use a size such as $((width + width % 2))x$((height + height % 2))"
    elif [[ ! ${value[size]} && $source_size =~ [13579](x|$) ]]; then
        mask "${value[source]}"
        say "source=$REPLY is $source_size, but a recording needs an even width and height: scaling the video to an even size"
    fi
}
