# shellcheck shell=bash
# The elements for {sink}: a window, a page in a browser, a recording, an image, or nothing. Sourced by `command.sh`.

# Recordings need an even width and height: the only H.264 and VP8 formats that every player supports store one colour per 2x2
# pixels.
readonly even='width=[2,32768,2],height=[2,32768,2]' square='pixel-aspect-ratio=1/1'

# Sets REPLY to window, web..., null, or the file in the key sink.
sink_target() {
    REPLY=${value[sink]}
    if [[ $REPLY == auto ]]; then
        REPLY=$name.mp4
        # A user at a terminal can open the page in a browser. A script gets a recording.
        [[ ! -t 1 || ! -t 2 ]] || REPLY=web
        [[ ! ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || REPLY=window
    fi
}

# Sets `fragment` to svwebsink with the address and the port in web[:ADDRESS][:PORT].
web_words() {
    local address=${1#web} port=''
    address=${address#:}
    # The brackets of an IPv6 address separate the address from the port.
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

# Sets REPLY to a format for drawn frames that all elements up to the sink accept without conversion. Sets REPLY to nothing for a
# window, whose format is unknown until the window opens.
drawn_format() {
    sink_target
    case $REPLY in
        window) REPLY='' ;;
        *.png) REPLY=RGB ;;
        *) REPLY=I420 ;;
    esac
}

# Sets `fragment` to the elements for the key sink, and `sound` to the elements for the sound.
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
        # A recording of an endless source has a maximum length, except if the user names the file and the source is a camera or a
        # stream.
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
                *.webm) formats=I420 ;; # the only format that vp8enc accepts
            esac
            # A video file stores the pixel aspect ratio, so the pipeline keeps the ratio of an anamorphic source: videoscale could
            # lose lines.
            [[ $is_anamorphic ]] || shape=,$square
            fragment=(videoconvert '!' videoscale '!' "video/x-raw,format=$formats,$even$shape" '!')
            case $to in
                *.mp4) fragment+=(x264enc tune=zerolatency speed-preset=veryfast bitrate=4000 '!' mp4mux "${muxer[@]}" '!') ;;
                *.mkv) fragment+=(x264enc tune=zerolatency speed-preset=veryfast bitrate=4000 '!' matroskamux "${muxer[@]}" '!') ;;
                *.webm) fragment+=(vp8enc deadline=1 cpu-used=8 threads=4 target-bitrate=4000000 '!' webmmux "${muxer[@]}" '!') ;;
                *.png)
                    # Each frame replaces the file, so the file contains the last frame. The location is a printf format.
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
        # An identity with eos-after ends the stream instead of passing the first buffer that is too many, but passes all later
        # buffers again. The queue stops the later buffers, except a buffer that waits for space in the queue at this moment. The
        # second identity stops that buffer.
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

# Ends if size= is odd for a recording. Prints a note if the size of the source is odd.
check_evenness() {
    local width=${value[size]%x*} height=${value[size]#*x}
    if [[ ${value[size]} =~ [13579](x|$) ]]; then
        die 2 "size=${value[size]}: a recording needs an even width and height: use a size such as $((width + width % 2))x$((height + height % 2))"
    elif [[ ! ${value[size]} && $source_size =~ [13579](x|$) ]]; then
        mask "${value[source]}"
        say "source=$REPLY is $source_size, but a recording needs an even width and height: scaling the video to an even size"
    fi
}
