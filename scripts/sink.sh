# shellcheck shell=bash
# The elements for {sink}: a window, a page in a browser, a recording, an image, a stream, a virtual camera, or nothing. Sourced by
# `command.sh`.

sink_kind='' # what sink_target found in the key sink

# Recordings need an even width and height: the only H.264 and VP8 formats that every player supports store one colour per 2x2
# pixels.
readonly h264_encoder=(x264enc tune=zerolatency speed-preset=veryfast bitrate=4000)
readonly even='width=[2,32768,2],height=[2,32768,2]' square='pixel-aspect-ratio=1/1'

# Sets REPLY to window, web..., null, or the file or the address in the key sink. Sets `sink_kind` to window, web, null, image, video
# (a file), rtmp, srt, hls, camera (a virtual camera), or nothing for other values.
sink_target() {
    REPLY=${value[sink]}
    if [[ $REPLY == auto ]]; then
        REPLY=$name.mp4
        # A user at a terminal can open the page in a browser. A script gets a recording.
        [[ ! -t 1 || ! -t 2 ]] || REPLY=web
        [[ ! ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || REPLY=window
    fi
    # `mask` finds the stream keys only in addresses with a scheme in lower case.
    [[ ! $REPLY =~ ^[A-Za-z][A-Za-z0-9+.-]*:// ]] || REPLY=${BASH_REMATCH[0],,}${REPLY:${#BASH_REMATCH[0]}}
    case $REPLY in
        window | null) sink_kind=$REPLY ;;
        web | web:*) sink_kind=web ;;
        rtmp://* | rtmps://*) sink_kind=rtmp ;;
        srt://*) sink_kind=srt ;;
        hls:*) sink_kind=hls ;;
        *://*) sink_kind='' ;;
        /dev/video*) sink_kind=camera ;;
        *.png) sink_kind=image ;;
        *.mp4 | *.mov | *.mkv | *.webm) sink_kind=video ;;
        *) sink_kind='' ;;
    esac
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
    case $sink_kind in
        window) REPLY='' ;;
        image) REPLY=RGB ;;
        *) REPLY=I420 ;;
    esac
}

# Sets `fragment` to the elements for the key sink, and `sound` to the elements for the sound.
sink_words() {
    local to frames=${value[frames]} note notes=() muxer=() formats='{I420,NV12,YV12}' shape='' squaring=() encoder
    sink_target
    to=$REPLY
    if [[ ${value[sink]} == auto && $to == web ]]; then
        notes+=("no display: open the address that svwebsink prints in a browser. For a browser on another machine: sink=web:0.0.0.0. To record: sink=$name.mp4")
    elif [[ ${value[sink]} == auto && $to != window ]]; then
        notes+=("no display: recording to $PWD/$to")
    fi
    if [[ $sink_kind == image ]]; then
        frames=${frames:-$picture_frame}
    elif [[ ! $frames && $sink_kind == video ]] && [[ $endless == drawn || ($endless && ${value[sink]} == auto) ]]; then
        # A recording of an endless source has a maximum length, except if the user names the file and the source is a camera or a
        # stream.
        frames=$(recorded_frames)
        notes+=("the recording ends after $recorded_seconds seconds; frames=N sets another length")
    fi
    sound=()
    # A video file and a stream store the pixel aspect ratio, so the pipeline keeps the ratio of an anamorphic source: videoscale
    # could lose lines.
    [[ $is_anamorphic ]] || shape=,$square
    [[ ! $has_sound ]] || muxer=(name=muxer)
    [[ ! ${value[key-file]} || $sink_kind == rtmp || $sink_kind == srt ]] \
        || die 2 "key-file= has no effect with this sink: use sink=rtmp://HOST/APPLICATION/, rtmps:// or srt://"
    case $sink_kind in
        null) fragment=(fakesink sync=false) ;;
        window)
            [[ $print || ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]] || die 2 "sink=window: this machine has no display. Use sink=web or sink=FILE"
            fragment=(videoconvert '!' autovideosink)
            sound=(autoaudiosink)
            ;;
        web) web_words "$to" ;;
        rtmp) rtmp_words "$to" ;;
        srt) srt_words "$to" ;;
        hls) hls_words "${to#hls:}" ;;
        camera) virtual_camera_words "$to" ;;
        image)
            check_output "$to"
            # Each frame replaces the file, so the file contains the last frame. The location is a printf format.
            quote "${to//%/%%}"
            [[ ! $is_anamorphic ]] || squaring=(videoscale '!' "video/x-raw,$square" '!')
            fragment=(videoconvert '!' "${squaring[@]}" pngenc compression-level=1 '!' multifilesink "location=$REPLY")
            ;;
        video)
            check_output "$to"
            encoder=("${h264_encoder[@]}") sound=(avenc_aac '!' muxer.)
            case $to in
                *.mp4) muxer=(mp4mux "${muxer[@]}") ;;
                *.mov) muxer=(qtmux "${muxer[@]}") ;;
                *.mkv) muxer=(matroskamux "${muxer[@]}") sound=(opusenc '!' muxer.) ;;
                *.webm)
                    formats=I420 # the only format that vp8enc accepts
                    encoder=(vp8enc deadline=1 cpu-used=8 threads=4 target-bitrate=4000000)
                    muxer=(webmmux "${muxer[@]}") sound=(opusenc '!' muxer.)
                    ;;
            esac
            quote "$to"
            fragment=(videoconvert '!' videoscale '!' "video/x-raw,format=$formats,$even$shape" '!' "${encoder[@]}" '!'
                "${muxer[@]}" '!' filesink "location=$REPLY")
            check_evenness "a recording"
            ;;
        *)
            shown_address "$to"
            [[ $to != *://* ]] || die 2 "sink=$REPLY: use an address that begins with rtmp://, rtmps:// or srt://. For WHIP addresses, Debian 12 has no GStreamer element"
            die 2 "sink=$REPLY: use auto, window, web, null, rtmp://..., srt://..., hls:FOLDER, /dev/videoN, or a file that ends in .mp4, .mov, .mkv, .webm or .png"
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
    if [[ ${sound[*]} ]]; then join_sounds; else sound_keys=(); fi
    for note in "${notes[@]}"; do say "$note"; done
}

# Prints the number of frames in a recording of `recorded_seconds`.
recorded_frames() {
    local fps
    fps=$(fraction "${value[fps]:-$default_fps}")
    echo $(((recorded_seconds * ${fps%/*} + ${fps#*/} - 1) / ${fps#*/}))
}

check_output() {
    local folder
    folder=$(dirname -- "$1")
    [[ -d $folder ]] || die 2 "sink=$1: the folder $folder does not exist"
    [[ -w $folder || -w $1 ]] || die 2 "sink=$1: $folder is not writable"
    [[ ! -d $1 ]] || die 2 "sink=$1 is a folder: use the path of a file"
    ! is_input "$1" || die 2 "sink=$1 is the same file as $REPLY=: use another file name"
}

# Succeeds if file $1 is the value of a key other than sink, and sets REPLY to this key.
is_input() {
    for REPLY in "${!value[@]}"; do
        [[ $REPLY == sink || ! ${value[$REPLY]} || ! $1 -ef ${value[$REPLY]} ]] || return 0
    done
    return 1
}

# Ends if size= is odd for $1, such as "a recording". Prints a note if the size of the source is odd.
check_evenness() {
    local width=${value[size]%x*} height=${value[size]#*x}
    if [[ ${value[size]} =~ [13579](x|$) ]]; then
        die 2 "size=${value[size]}: $1 needs an even width and height: use a size such as $((width + width % 2))x$((height + height % 2))"
    elif [[ ! ${value[size]} && $source_size =~ [13579](x|$) ]]; then
        mask "${value[source]}"
        say "source=$REPLY is $source_size, but $1 needs an even width and height: scaling the video to an even size"
    fi
}
