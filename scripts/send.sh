# shellcheck shell=bash
# The elements for {sink} that send the video out of the pipeline: RTMP, SRT, HLS, and virtual cameras. Each function sets `fragment`
# and `sound` of sink_words. Sourced by `command.sh`.

: "${program:?}" "${print=}" "${h264_encoder[0]:?}" "${even:?}" "${square:?}" "${formats=}" "${shape=}" "${name=}"
readonly segment_seconds=2 # length of an HLS segment, and maximum distance of key frames in a stream

# Sets `fragment` to the elements that encode the frames for a stream. A viewer can join at each key frame.
encode_stream() {
    local fps=$default_fps
    [[ $frame_rate == 0/* ]] || fps=$(((${frame_rate%/*} + ${frame_rate#*/} - 1) / ${frame_rate#*/}))
    check_evenness "a stream"
    fragment=(videoconvert '!' videoscale '!' "video/x-raw,format=$formats,$even$shape" '!' "${h264_encoder[@]}"
        key-int-max=$((segment_seconds * fps)) '!')
    sound=(avenc_aac '!' aacparse '!' muxer.)
}

# MARK: Secrets

# Sets REPLY to the stream key: the first line of the file in the key key-file, or SWIFTVISION_STREAM_KEY. Sets REPLY to nothing if
# the user sets no stream key.
stream_key() {
    local file=${value[key-file]} mode
    REPLY=${SWIFTVISION_STREAM_KEY:-}
    if [[ $file ]]; then
        need_file key-file
        mode=$(stat -L -c %a -- "$file")
        [[ -p $file ]] || ! ((8#$mode & 8#044)) || say "other users can read key-file=$file: chmod 600 ${file@Q}"
        IFS= read -r REPLY <"$file" || true
        REPLY=${REPLY%$'\r'}
        [[ $REPLY ]] || die 2 "the first line of key-file=$file is empty: write the stream key to this line"
    fi
    # Other words can contain a shorter key, such as `test`. The masks for addresses hide a short key.
    ((${#REPLY} < 8)) || secrets+=("$REPLY")
}

# Sets REPLY to the address $1 for a message, with `***` instead of secrets. In an address with spaces or quotes, `mask` does not find
# the end of a secret.
shown_address() {
    mask "$1"
    [[ $1 != *://* || $1 != *[[:space:]\"\'\<\>\`]* ]] || REPLY="${1%%://*}://***"
}

# Ends if the address $1 is an argument of the user and contains a secret: all users of the machine can read arguments.
check_argument() {
    local secret=''
    [[ ! ${from_environment[sink]:-} ]] || return 0
    if [[ $1 =~ ^[a-z]+://[^/?#]*@ ]]; then
        secret="a user name or a password"
    elif [[ $1 == srt://*[?\&]passphrase=* ]]; then
        secret="a passphrase"
    elif [[ $1 == srt://*[?\&]streamid=* ]]; then
        secret="a stream ID"
    elif [[ $1 == rtmp*://*[?#]* ]] || [[ $1 =~ ^rtmps?://[^/]+/.*[^/].*/[^/]+$ ]]; then
        secret="a stream key"
    fi
    [[ $secret ]] || return 0
    shown_address "$1"
    die 2 "sink=$REPLY contains $secret, which other users can see in the list of processes: $2"
}

# MARK: Streams

# Sends the stream to the RTMP server at address $1. An address that ends with / needs a stream key.
rtmp_words() {
    local address=$1 shown example
    shown_address "$address"
    shown=$REPLY example=${address%%://*}://HOST/APPLICATION/
    [[ $address =~ ^rtmps?://([^][[:space:]\"\'\<\>\\\`/?#]+|\[[0-9A-Fa-f:.]+\](:[0-9]+)?)(/[^][:space:]\"\'\<\>\\\`?#]*)?(\?[^][:space:]\"\'\<\>\\\`#]*)?$ ]] \
        || die 2 "sink=$shown is not an RTMP address: use sink=$example"
    check_argument "$address" "use sink=$example and key-file=FILE, or sink=env:NAME"
    [[ $address =~ ^rtmps?://[^/]+/+[^/] ]] || die 2 "sink=$shown names no application: use sink=$example, such as rtmp://127.0.0.1/live/"
    stream_key
    if [[ $address =~ ^rtmps?://[^/]+/+[^/?]+/*$ || $address == */ ]]; then
        [[ $REPLY ]] || die 2 "sink=$shown needs a stream key: use key-file=FILE, or export SWIFTVISION_STREAM_KEY"
        # The masks for messages hide the last part of an address, so the key must be this part.
        [[ $REPLY =~ ^[A-Za-z0-9._~:@!\$\&()*+,\;=%-]+(\?[A-Za-z0-9._~:/?@!\$\&()*+,\;=%-]*)?$ ]] \
            || die 2 "the stream key of sink=$shown contains a character that is not possible in an address: copy the key again. If the key contains /, write the part before the last / to sink="
        address=${address%/}/$REPLY
    elif [[ ${value[key-file]} ]]; then
        die 2 "sink=$shown already contains a stream key: remove key-file="
    fi
    encode_stream
    quote "$address"
    fragment+=(flvmux streamable=true "${muxer[@]}" '!' rtmp2sink "location=$REPLY")
}

# Sends the stream by SRT to address $1, or waits for receivers if the address contains no host or mode=listener. The stream key is
# the passphrase.
srt_words() {
    local address=$1 shown host options=()
    shown_address "$address"
    shown=$REPLY
    if [[ ! $address =~ ^srt://(\[[0-9A-Fa-f:.]+\]|[^][:space:]\"\'\\\`:/?#]*):([0-9]{1,5})/?(\?[^[:space:]\"\'\\\`#]*)?$ ]] \
        || ((10#${BASH_REMATCH[2]} < 1 || 10#${BASH_REMATCH[2]} > 65535)); then
        die 2 "sink=$shown is not an SRT address: use sink=srt://HOST:PORT, or sink=srt://:PORT to wait for receivers"
    fi
    host=${BASH_REMATCH[1]}
    # A receiver that comes late or leaves must not stop the pipeline.
    if [[ ! $host || $address == *[?\&]mode=listener* ]]; then options+=(wait-for-connection=false); fi
    check_argument "$address" "use key-file=FILE for a passphrase, or sink=env:NAME"
    stream_key
    if [[ $REPLY ]]; then
        ((${#REPLY} >= 10 && ${#REPLY} <= 79)) \
            || die 2 "the stream key of sink=$shown has ${#REPLY} characters: a passphrase of SRT has 10 to 79 characters"
        quote "$REPLY"
        secrets+=("$REPLY")
        options+=("passphrase=$REPLY")
    elif [[ ${options[*]} && $host != 127.* && $host != localhost && $host != '[::1]' && $address != *[?\&]passphrase=* ]]; then
        say "sink=$shown: everyone who can reach this port can watch. To encrypt the stream: key-file=FILE"
    fi
    encode_stream
    quote "$address"
    # Seven packets of MPEG-TS fill one packet of SRT.
    fragment+=(h264parse '!' mpegtsmux alignment=7 "${muxer[@]}" '!' srtsink "uri=$REPLY" "${options[@]}")
}

# Writes an HLS playlist and its segments to folder $1.
hls_words() {
    local folder=${1%/} file pace=() limits=(playlist-length=0 max-files=0)
    [[ $1 ]] || die 2 "sink=hls: needs a folder: use sink=hls:FOLDER"
    folder=${folder:-/}
    [[ -d $folder ]] || die 2 "sink=hls:$1: the folder $folder does not exist: mkdir ${folder@Q}"
    [[ -w $folder ]] || die 2 "sink=hls:$1: $folder is not writable"
    for file in "$folder"/index.m3u8 "$folder"/segment[0-9]*.ts; do
        ! is_input "$file" || die 2 "sink=hls:$1 would replace $file, the file of $REPLY=: use another folder"
    done
    encode_stream
    # The playlist of a live stream contains the latest segments. Players may still read older segments for a while.
    [[ ! $endless ]] || limits=(playlist-length=5 max-files=10)
    [[ $endless != drawn ]] || pace=(clocksync '!') # hlssink does not wait for the time of a frame
    quote "$folder/index.m3u8"
    limits+=("playlist-location=$REPLY")
    # The location is a printf format.
    quote "${folder//%/%%}/segment%05d.ts"
    # With sound, hlssink2 (GStreamer 1.22) does not end in some runs, so hlssink writes the segments.
    fragment=("${pace[@]}" "${fragment[@]}" h264parse '!' mpegtsmux "${muxer[@]}" '!' hlssink
        "target-duration=$segment_seconds" "location=$REPLY" "${limits[@]}")
    say "the playlist is $folder/index.m3u8"
}

# MARK: Virtual cameras

# Sends the frames to device $1 of v4l2loopback.
virtual_camera_words() {
    local device=$1 key rate=$frame_rate
    [[ $device =~ ^/dev/video[0-9]+$ ]] || die 2 "sink=$device: use /dev/videoN, the device of a virtual camera"
    for key in "${source_keys[@]}"; do
        [[ ${value[$key]:-} == @(webcam|/dev/video*) ]] || continue
        REPLY=$(camera_path "${value[$key]}")
        [[ $REPLY != "$device" && ! $REPLY -ef $device ]] || die 2 "sink=$device is also the camera of $key=: use another device"
    done
    if [[ ! $print ]]; then
        [[ -c $device ]] || die 2 "sink=$device does not exist. To make a virtual camera: sudo modprobe v4l2loopback video_nr=${device#/dev/video} exclusive_caps=1 (package v4l2loopback-dkms)"
        [[ -w $device ]] || die 2 "no permission for sink=$device. To see a fix: $program doctor"
    fi
    [[ $rate != 0/* ]] || rate=$default_fps/1
    check_evenness "a virtual camera"
    # YUY2 is the format of most webcams, so all programs accept it. v4l2loopback has too few buffers to lend, which
    # drop-allocation hides from the other elements.
    fragment=(videoconvert '!' videoscale '!' videorate '!'
        "video/x-raw,format=YUY2,$even,$square,framerate=$rate" '!' identity drop-allocation=true '!' v4l2sink "device=$device")
    [[ ! $has_sound ]] || say "a virtual camera has no sound"
}
