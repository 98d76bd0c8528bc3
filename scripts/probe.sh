# shellcheck shell=bash
# Finds out the content of a file or a URI before the pipeline plays it, because gst-launch-1.0 cannot link sound that may be
# missing. Sourced by `command.sh`.

: "${print=}" "${runner:?}"

answer=''     # output of GStreamer for the last probe
frames=0      # number of frames that the last probe decoded, up to the wanted number
video_caps='' # caps of these frames, as GStreamer prints them
decoder=()    # words of the description that decode a file, after filesrc and its name
is_still=''   # yes if the file is a single image
# Blocks are large, because the time of gdkpixbufdec grows with the square of the number of blocks.
readonly pixbuf_decoder=(blocksize=16777216 '!' gdkpixbufdec)

# Succeeds if GStreamer can probe a file. Installs GStreamer if it is missing, unless the program only prints the pipeline.
can_decode() {
    command -v gst-launch-1.0 >/dev/null && return
    [[ ! $print ]] && ensure_packages run
}

# Succeeds if the runner can probe a URI.
can_decode_uri() {
    [[ $print ]] || ensure_plugin
    [[ -x $runner ]]
}

# Runs a pipeline of the words $1... for at most `limit` seconds, and prints its properties and caps. A URI can contain a password,
# so the runner gets a URI in its environment, which other users cannot see.
observe() {
    if [[ "$*" == *://* ]]; then
        use_plugin
        PIPELINE="$*" LC_ALL=C timeout "${limit:-20}" "$runner" --verbose
    else
        LC_ALL=C timeout "${limit:-20}" gst-launch-1.0 -v -t --no-fault "$@"
    fi 2>&1 </dev/null
}

# Sets `answer`, `frames` and `video_caps` from the first $1 frames of the source and decoder in the words $2..., within `limit`
# seconds.
probe() {
    answer=$(observe "${@:2}" '!' videoconvert '!' fakesink name=taker num-buffers="$1" silent=false) || true
    frames=$(grep -c ':taker: last-message = chain ' <<<"$answer") || true
    video_caps=$(sed -n 's/.*:taker\.GstPad:sink: caps = \(video\/.*\)/\1/p' <<<"$answer" | head -n 1)
}

# MARK: Files

# Finds the decoder for file $2, the source of key $1, by the content of the file. $3 is the name as a word of the description, $4
# the wanted frame rate. Sets `decoder`, `is_still`, and the variables of `probe`. Ends with a message if the file cannot be played.
find_pictures() {
    local key=$1 file=$2 location=$3 rate=$4 kind='' told limit=20
    is_still=''
    # A pipe can be read only once.
    if [[ -p $file ]] || ! can_decode; then
        decode_by_name "$file"
        return
    fi
    [[ -s $file ]] || die 2 "$key=$file is empty: use a video or an image"
    iconv -f UTF-8 -t UTF-8 <<<"$file" >/dev/null 2>&1 ||
        die 2 "the name of $key=${file@Q} is not UTF-8, so GStreamer cannot open the file: rename the file"
    decoder=('!' decodebin)
    case $(head -c 6 -- "$file" | od -An -v -tx1 | tr -d ' ') in
        # In GStreamer 1.22, decodebin does not use jpegparse, and so loses the orientation.
        ffd8ff*) kind=image/jpeg decoder=('!' jpegparse '!' jpegdec) ;;
        474946383?61)
            kind=image/gif decoder=("${pixbuf_decoder[@]}") limit=5 # libav's demuxer reads on at the end of a damaged GIF
            ! find_animation || return 0
            ;;
    esac
    probe 2 filesrc "location=$location" "${decoder[@]}"
    kind=${kind:-$(sed -n 's/.*:typefind\.GstPad:src: caps = \([a-z]*\/[^,]*\).*/\1/p' <<<"$answer" | head -n 1)}
    if [[ $kind == image/* && $frames == 0 ]]; then
        # decodebin may choose a libav decoder that fails, for example for BMP and TIFF.
        told=$answer
        if [[ $kind == image/gif ]]; then decoder=('!' decodebin); else decoder=("${pixbuf_decoder[@]}"); fi
        probe 2 filesrc "location=$location" "${decoder[@]}"
        ((frames)) || answer=$told
    fi
    ((frames)) || refuse
    [[ $kind == image/* ]] || return 0
    if ((frames == 1)); then
        is_still=yes
        ! is_animated || say "$key=$file is animated, but GStreamer decodes only its first frame"
    elif [[ $kind == image/jpeg ]]; then
        # The frames of a JPEG stream without a container have no timestamps.
        rate=$(fraction "${rate:-25}")
        spread_frames "$rate" "$rate"
        [[ $4 ]] || say "$key=$file has no frame rate, so the file plays at 25 frames per second. To set another rate: fps=N"
    fi
}

# Sets `decoder` and `is_still` from the name of a file whose content cannot be read in advance.
decode_by_name() {
    decoder=('!' decodebin)
    case ${1,,} in
        *.jpg | *.jpeg) decoder=('!' jpegparse '!' jpegdec) is_still=yes ;;
        *.png | *.webp | *.bmp | *.gif | *.tif | *.tiff | *.svg) is_still=yes ;;
    esac
}

# Ends with the reason why the file of find_pictures cannot be played.
refuse() {
    local missing
    if head -c 4096 -- "$file" | LC_ALL=C grep -I . >/dev/null; then
        die 2 "$key=$file is a text file: use a video or an image"
    fi
    missing=$(sed -n 's/^Missing element: //p' <<<"$answer" | head -n 1)
    if is_animated; then
        die 2 "$key=$file is an animated image that GStreamer cannot decode: convert it to a video"
    fi
    case $answer in
        *'caps = video/'* | *'caps = image/'*)
            die 2 "GStreamer cannot decode $key=$file${missing:+, because this decoder is missing: $missing}" ;;
        *'caps = audio/'*) die 2 "$key=$file contains only sound: use a video or an image" ;;
        *) die 2 "$key=$file is not a video or an image that GStreamer can read${missing:+ ($missing)}" ;;
    esac
}

# MARK: Animated pictures

# Succeeds if the file of find_pictures is an image with several frames.
is_animated() {
    case $kind in
        image/gif) (($(gif_frames "$file" | cut -d ' ' -f 1) > 1)) ;;
        image/png) head -c 65536 -- "$file" | LC_ALL=C grep -a acTL >/dev/null ;;
        image/webp) head -c 64 -- "$file" | LC_ALL=C grep -a ANIM >/dev/null ;;
        *) return 1 ;;
    esac
}

# Prints the number of frames in GIF $1, and its duration in hundredths of a second. Frames of less than 20 ms last 100 ms, as in
# browsers.
gif_frames() {
    od -An -v -tu1 -- "$1" | awk '
        function table(flags) { return flags < 128 ? 0 : 3 * 2 ^ (flags % 8 + 1) }
        {
            for (i = 1; i <= NF; i++) {
                byte = $i
                if (skip) skip--
                else if (part == "") {
                    if (++n == 11) colors = table(byte)
                    if (n == 13) { skip = colors; part = "block" }
                } else if (part == "block") {
                    if (byte == 33) part = "extension"
                    else if (byte == 44) part = "image"
                    else exit
                    n = 0
                } else if (part == "extension") part = byte == 249 ? "control" : "data"
                else if (part == "control") {
                    n++
                    if (n == 3) low = byte
                    if (n == 4) delay = low + 256 * byte
                    if (n == 5) part = "data"
                } else if (part == "image") {
                    # The last byte is the size of an LZW code.
                    if (++n == 9) skip = table(byte)
                    if (n == 10) { part = "data"; count++; time += delay < 2 ? 10 : delay; delay = 0 }
                } else if (byte) skip = byte
                else part = "block"
            }
        }
        END { print count + 0, time + 0 }' || true
}

# Sets `decoder` if the file of find_pictures is an animated GIF that GStreamer can play. Fails otherwise.
find_animation() {
    local count time
    read -r count time < <(gif_frames "$file")
    ((count > 1)) || return 1
    decoder=('!' avdemux_gif '!' avdec_gif)
    probe 1 filesrc "location=$location" "${decoder[@]}"
    if ((frames == 0)); then
        decoder=("${pixbuf_decoder[@]}")
        return 1
    fi
    # In GStreamer 1.22, a GIF with few frames never ends, and an interrupt hangs, because the demuxer continues to read at the end.
    # So the pipeline doubles each packet, and the second copy of the last packet ends the stream at once, before the packets in the
    # queue are played.
    decoder=('!' avdemux_gif '!' tee name="${key}gif" "${key}gif." '!' "${key}pair.sink_0" "${key}gif." '!' "${key}pair.sink_1"
        funnel name="${key}pair" '!' identity eos-after=$((2 * count))
        '!' queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 '!' avdec_gif)
    # All frames of the GIF have the timestamp 0.
    spread_frames "$((200 * count))/$time" "$((100 * count))/$time"
}

# Adds elements to `decoder` that give the frames timestamps at the rate $1, a fraction, from their sizes in bytes, and then convert
# the frame rate to $2. Later elements must not request padded frames, which have more bytes.
spread_frames() {
    local bytes speed
    bytes=$(sed -n 's/.*:taker: last-message = chain .*(\([0-9]*\) bytes.*/\1/p' <<<"$answer" | head -n 1)
    speed=$((bytes * ${1%/*} / ${1#*/}))
    decoder+=('!' identity drop-allocation=true datarate=$((speed < 2147483647 ? speed : 2147483647))
        '!' videorate '!' "video/x-raw,framerate=$2")
    video_caps="${video_caps%, framerate=*}, framerate=(fraction)$2"
}
