# shellcheck shell=bash
# The elements for {source}: a test pattern, a camera, a file, or a URI. Sourced by `command.sh`.

: "${root:?}" "${program:?}" "${print=}" "${source_keys[0]:?}"

# MARK: Where it comes from

# Replaces source=auto by a camera or the test pattern. Ends if a file is missing, if two sources are the same camera, if a source
# without controls has controls, or if on-loss= is set and no source is a camera.
find_sources() {
    local key controls can_be_lost=''
    for key in "${source_keys[@]}"; do
        controls=camera${key#source}
        if [[ ${value[$key]:-} == auto ]]; then
            find_source
            value["$key"]=$REPLY
            [[ $REPLY != test ]] || value["$controls"]='' can_be_lost=yes
        fi
        if [[ ${value[$key]:-} == *,loop && ! -e ${value[$key]} ]]; then
            value["$key"]=${value[$key]%,loop} is_loop["$key"]=yes
            check_loop "$key" "${value[$key]}"
        fi
        case ${value[$key]:-test} in
            webcam | /dev/video*)
                check_camera "$key"
                can_be_lost=yes
                continue
                ;;
            test | [Ff][Ii][Ll][Ee]://*) ;;
            [A-Za-z]*://*) can_be_lost=yes ;;
            none) [[ $body == *"{$key?}"* ]] || die 2 "$key=none: $name needs this source. Use a camera, a file, a URI or test" ;;
            *) need_file "$key" ;;
        esac
        if [[ ${value[$controls]:-} ]]; then
            mask "${value[$key]}"
            die 2 "$controls=${value[$controls]}: $key=$REPLY is not a camera of this machine. Use $key=webcam or $key=/dev/videoN"
        fi
    done
    [[ ! ${value[on-loss]} || $can_be_lost ]] \
        || die 2 "on-loss=${value[on-loss]}: on-loss works only with cameras and network streams. Use source=webcam or source=URI, or remove on-loss"
}

# Ends if $2, the source of key $1, is not a file that can play in a loop.
check_loop() {
    case $2 in
        test | webcam | none | auto | /dev/video* | [A-Za-z]*://*)
            mask "$2"
            die 2 "$1=$REPLY,loop: only a video file can loop. Use $1=$REPLY"
            ;;
    esac
    [[ ! -p $2 ]] || die 2 "$1=$2,loop: $2 is a pipe, which cannot be read again. Use $1=$2"
}

# Ends if the camera of key $1 is also the camera of an earlier key: only one element can use a camera.
check_camera() {
    local other camera
    camera=$(camera_path "${value[$1]}")
    for other in "${source_keys[@]}"; do
        [[ $other != "$1" ]] || return 0
        [[ ${value[$other]:-} == @(webcam|/dev/video*) ]] || continue
        REPLY=$(camera_path "${value[$other]}")
        [[ $REPLY != "$camera" && ! $REPLY -ef $camera ]] \
            || die 2 "$1=${value[$1]}: $other= already uses the camera $camera. Use another camera. To list the cameras: $program cameras"
    done
}

# MARK: The words

# Sets `fragment` to the elements that deliver raw video from the source of key $1. The other arguments are properties of
# videotestsrc.
source_words() {
    local key=$1 from=${value[$1]} fps=${value[fps]} flip=${value[flip${1#source}]} size device format scene=scene${1#source}
    local turn=('!' videoconvert '!' videoflip video-direction=auto)
    shift
    # The flip is last, so that videoflip gets scaled frames. `size` is the size before the flip.
    size=$(unflipped_size "$flip")
    answer='' video_caps=''
    case $from in
        test)
            endless=${endless:-drawn}
            fragment=(videotestsrc "$@")
            size=${size:-$default_size} fps=${fps:-$default_fps}
            keep_rate "$(fraction "$fps")"
            drawn_format
            format=$REPLY
            fragment+=('!' "video/x-raw,${format:+format=$format,}width=${size%x*},height=${size#*x},framerate=$(fraction "$fps")")
            if [[ ${value[$scene]:-} ]]; then
                quote "${value[$scene]}"
                fragment+=('!' svtestscene "scene=$REPLY")
                settings+=("svtestscene scene $scene")
            fi
            flip_words "$flip"
            return
            ;;
        webcam | /dev/video*)
            device=$(camera_path "$from")
            webcam_words "$key" "$device"
            ;;
        [Rr][Tt][Ss][Pp]*://* | [Ss][Rr][Tt]://* | [Uu][Dd][Pp]://* | [Rr][Tt][Pp]://*)
            endless=live
            check_silence "$key"
            if [[ ${value[on-loss]} == stop ]] || wants_given_sound "$key"; then
                # svurisrc has no sound. uridecodebin has sound, but does not reconnect.
                quote "$from"
                fragment=(uridecodebin "uri=$REPLY")
                # A network camera has sound only if the user asks for it, because a microphone records private words.
                [[ ! ${is_given[sound]:-} ]] || probe_sound "$key" "${fragment[@]}"
                fragment+=("${turn[@]}")
                [[ $size ]] || is_anamorphic=yes
            else
                network_words "$key" "$from"
            fi
            ;;
        [A-Za-z]*://*)
            if [[ ${value[on-loss]:-stop} != stop && $from != [Ff][Ii][Ll][Ee]://* ]]; then
                endless=live
                check_silence "$key"
                network_words "$key" "$from"
            else
                quote "$from"
                fragment=(uridecodebin "uri=$REPLY")
                probe_sound "$key" "${fragment[@]}"
                fragment+=("${turn[@]}")
                [[ $size ]] || is_anamorphic=yes
                [[ $from == file://* ]] || endless=live
            fi
            ;;
        *)
            quote "$from"
            fragment=(filesrc "location=$REPLY")
            find_pictures "$key" "$from" "$REPLY" "$fps"
            fragment+=("${decoder[@]}")
            if [[ ${is_loop[$key]:-} ]]; then
                loop_words "$key" "$from"
            elif [[ $is_still ]]; then
                # The pipeline rotates, scales and converts the image once, before imagefreeze repeats the frame.
                fragment+=("${turn[@]}")
                flip_words "$flip"
                picture_caps
                [[ ! $REPLY ]] || fragment+=('!' videoscale '!' "$REPLY")
                endless=${endless:-drawn} fps=${fps:-$default_fps}
                keep_rate "$(fraction "$fps")"
                fragment+=('!' imagefreeze '!' "video/x-raw,framerate=$(fraction "$fps")")
                size='' fps='' flip=none
            else
                take_sound "$key" "${fragment[@]}"
                [[ $size ]] || { caps_field pixel-aspect-ratio && [[ $REPLY == 1/1 ]]; } || is_anamorphic=yes
                # videoflip does not accept all formats, so the pipeline omits videoflip if the file needs no rotation.
                [[ $answer && ! $answer =~ 'image orientation: '(rotate-[^0]|flip) ]] || fragment+=("${turn[@]}")
                fragment+=('!' progressreport name="$key" update-freq=2)
            fi
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
        fragment+=('!' videoscale '!' "video/x-raw,width=${size%x*},height=${size#*x},$square")
    fi
    if [[ $fps ]]; then
        fragment+=('!' videorate '!' "video/x-raw,framerate=$(fraction "$fps")")
    fi
    flip_words "$flip"
}

# Replaces filesrc and the decoder in `fragment` by svclip, which plays $2, the file of key $1, in a loop.
loop_words() {
    [[ ! $is_still ]] || die 2 "$1=$2,loop: an image needs no loop. Use $1=$2"
    endless=${endless:-drawn}
    local clip=(svclip "${fragment[1]}" at-end=loop)
    ! find_sound "$1" "${fragment[@]}" || clip+=("sound=$REPLY")
    fragment=("${clip[@]}")
    [[ $size ]] || { caps_field pixel-aspect-ratio && [[ $REPLY == 1/1 ]]; } || is_anamorphic=yes
}

# Prints the wanted size before the flip $1, or nothing if the user sets no size.
unflipped_size() {
    local size=${value[size]}
    if [[ $size && $1 == @(90|270) ]]; then size=${size#*x}x${size%x*}; fi
    echo "$size"
}

# Adds the elements for the flip $1 to `fragment`.
flip_words() {
    local -A direction=([mirror]=horiz [90]=90r [180]=180 [270]=90l)
    [[ $1 == none ]] || fragment+=('!' videoconvert '!' videoflip "video-direction=${direction[$1]}")
}

# Succeeds if the user asks for the sound of key $1.
wants_given_sound() { [[ ${is_given[sound]:-} ]] && wants_sound "$1"; }

# Ends if the user asks for the sound of key $1 and for a new connection after a loss.
check_silence() {
    [[ ${value[on-loss]:-stop} == stop ]] || ! wants_given_sound "$1" \
        || die 2 "on-loss=${value[on-loss]}: with sound=yes, the pipeline cannot open the camera again. Use on-loss=stop or sound=no"
}

# Sets `fragment` to the elements that play the network camera of key $1 at URI $2 and reconnect. Can change `size` and `fps` of the
# caller.
network_words() {
    camera_words "$1" "$2"
    loss_words
    if wants_constant_caps; then
        keep_caps "$2"
    else
        [[ $size ]] || is_anamorphic=yes
    fi
}

# Sets `fragment` to svurisrc, which plays the network camera at URI $2 and reconnects. The password in the URI goes to an
# environment variable, which other users of the machine cannot see.
camera_words() {
    local key=$1 uri=$2 user password
    fragment=(svurisrc "name=$key")
    if [[ $uri =~ ^([^/]*://)([^/?#]*)@(.*)$ ]]; then
        uri=${BASH_REMATCH[1]}${BASH_REMATCH[3]} user=${BASH_REMATCH[2]}
        if [[ $user == *:* ]]; then
            password=$(unescaped "${user#*:}")
            export "SVURISRC_PASSWORD_$key=$password"
            [[ ! $print ]] || say "the password is not printed: export the password as SVURISRC_PASSWORD_$key before you run the command"
        fi
        quote "$(unescaped "${user%%:*}")"
        fragment+=("user-id=$REPLY")
    fi
    quote "$uri"
    fragment+=("uri=$REPLY")
}

# Adds the property for key on-loss to svurisrc in `fragment`.
loss_words() {
    local -A policy=([hold]=last-frame [wait]=nothing [card]=card)
    [[ ! ${policy[${value[on-loss]:-none}]:-} ]] || fragment+=("on-loss=${policy[${value[on-loss]}]}")
}

# Prints a part of a URI with the percent-encoding decoded.
unescaped() {
    local text=${1//\\/\\\\}
    printf '%b' "${text//%/\\x}"
}

# Succeeds if the sink needs frames of constant size, format and rate: a video file, a stream or a virtual camera.
wants_constant_caps() {
    sink_target
    [[ $sink_kind == @(video|rtmp|srt|hls|camera) ]]
}

# Adds constant caps to `fragment`, which also apply to the card that svurisrc shows while the camera is lost. The camera at $1
# determines the size and the rate that the caller has not set in `size` and `fps`.
keep_caps() {
    [[ $size && $fps ]] || ask_camera "$1"
    constant_caps
}

# Sets `size` and `fps` from the first frame of the camera at $1, unless they are set. If the camera does not answer, sets the defaults.
ask_camera() {
    # The probe needs the plugin.
    [[ $print ]] || ensure_plugin
    use_plugin
    if ! can_decode || ! limit=5 probe 1 "${fragment[@]}" on-loss=nothing || ((frames == 0)); then
        video_caps=''
        if [[ ! $size ]]; then
            mask "$1"
            say "$REPLY does not answer yet, so the output has $default_size pixels. To set another size: size=WxH"
        fi
    fi
    if [[ ! $size ]]; then
        size=$default_size
        if caps_field width; then
            size=$REPLY
            caps_field height
            size+=x$REPLY
        fi
    fi
    if [[ ! $fps ]]; then
        fps=$default_fps
        if caps_field framerate && [[ $REPLY != 0/* ]]; then fps=$REPLY; fi
    fi
}

# Adds caps to `fragment` with `size` and `fps` of the caller, and then removes `size` and `fps`.
constant_caps() {
    keep_rate "$(fraction "$fps")"
    fragment+=('!' "video/x-raw,format=I420,width=$((${size%x*} / 2 * 2)),height=$((${size#*x} / 2 * 2)),$square,framerate=$(fraction "$fps"),colorimetry=bt709,chroma-site=mpeg2,interlace-mode=progressive")
    size='' fps=''
}

# Sets REPLY to the camera for source=auto, or to the test pattern if there is no camera.
find_source() {
    local note="no camera: using a test pattern"
    REPLY=$(first_camera)
    if [[ ! -e $REPLY ]]; then
        REPLY="test"
    elif [[ ! -r $REPLY || ! -w $REPLY ]]; then
        note="no permission for $REPLY: using a test pattern. To see a fix: $program doctor"
        REPLY="test"
    fi
    [[ $REPLY != test ]] || say "$note"
}

# Sets REPLY to the caps of an image before imagefreeze repeats it: the wanted size, and a format that the sink accepts without
# conversion. The caps keep alpha, which mixers use. Sets REPLY to nothing if the image needs no conversion.
picture_caps() {
    local size=${value[size]} format=format=I420,
    ! has_alpha || format=''
    sink_target
    case $sink_kind in
        video | rtmp | srt | hls | camera) REPLY="video/x-raw,$format$even,$square" ;;
        image) REPLY='video/x-raw,format={RGB,RGBA}' ;;
        *) REPLY=${size:+video/x-raw} ;;
    esac
    [[ ! $size ]] || REPLY="${REPLY%",$even,$square"},width=${size%x*},height=${size#*x},$square"
}

# Keeps the highest frame rate of the sources in `frame_rate`, which is the rate of the pipeline's output.
keep_rate() {
    if ((${1%/*} * ${frame_rate#*/} > ${frame_rate%/*} * ${1#*/})); then frame_rate=$1; fi
}

# Succeeds if `video_caps` have alpha: RGBA, A420, AYUV and similar formats.
has_alpha() { caps_field format && [[ $REPLY == *A* && $REPLY != GRAY* ]]; }

# Sets REPLY to the value of field $1 of `video_caps`. Fails if the field is missing.
caps_field() {
    [[ $video_caps =~ [[:space:],]$1=\([a-z]+\)([^,[:space:]]+) ]] && REPLY=${BASH_REMATCH[1]}
}

fraction() {
    if [[ $1 == */* ]]; then echo "$1"; else echo "$1/1"; fi
}

# Prints the path of the camera for source=$1: webcam or a path.
camera_path() {
    if [[ $1 == webcam ]]; then first_camera; else echo "$1"; fi
}

first_camera() {
    local camera=/dev/video0
    for camera in /dev/video*; do
        [[ ! -e $camera ]] || break
    done
    echo "${camera/'*'/0}"
}

camera_caps() {
    local size="width=${1%x*},height=${1#*x}"
    echo "video/x-raw,$size;image/jpeg,$size;video/x-raw;image/jpeg"
}
