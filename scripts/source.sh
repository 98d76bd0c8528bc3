# shellcheck shell=bash
# What a file or URI holds, found before it plays: gst-launch-1.0 cannot link a sound that may not be there. Sourced by
# `launch`.

: "${root:?}" "${print=}"

answer='' # of GStreamer, when it was asked last

# Sets REPLY to the caps, as GStreamer prints them, of the first stream of kind $1 (video or audio) that the source of the
# words $2... and a last decoder give; to nothing where there is none.
decode_beginning() {
    local kind=$1
    shift
    answer=$(LC_ALL=C timeout 20 gst-launch-1.0 -v --no-fault "$@" expose-all-streams=false "caps=\"$kind/x-raw(ANY)\"" \
        '!' "$kind/x-raw(ANY)" '!' fakesink name=taker num-buffers=1 2>&1 </dev/null) || true
    REPLY=$(sed -n "s/.*:taker\.GstPad:sink: caps = \($kind\/.*\)/\1/p" <<<"$answer" | head -n 1)
}

# Whether GStreamer can be asked; installs it, unless the pipeline is only printed.
can_decode() {
    command -v gst-launch-1.0 >/dev/null && return
    [[ ! $print ]] && ensure_packages run
}

# Sets REPLY to the caps of the pictures in file $2, the source of key $1, which the words that follow read and decode. Ends
# with a line that says what is wrong with a file that has none.
find_pictures() {
    local key=$1 file=$2 missing
    shift 2
    [[ -s $file ]] || die 2 "$key=$file is empty"
    decode_beginning video "$@"
    [[ ! $REPLY ]] || return 0
    if head -c 4096 -- "$file" | LC_ALL=C grep -qI .; then
        die 2 "$key=$file is a text file, not a video or a picture"
    fi
    missing=$(sed -n 's/^Missing element: //p' <<<"$answer" | head -n 1)
    case $answer in
        *'caps = video/'* | *'caps = image/'*)
            die 2 "$key=$file cannot be decoded here${missing:+: GStreamer has no $missing}" ;;
        *'caps = audio/'*) die 2 "$key=$file has sound alone, no picture" ;;
        *) die 2 "$key=$file is not a video or a picture that GStreamer knows${missing:+ ($missing)}" ;;
    esac
}
