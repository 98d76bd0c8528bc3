# shellcheck shell=bash
# The sound of a source, on its way to a window or a file. Sourced by `command.sh`.

# Whether the sound of key $1's source is wanted. Of two sources, the first one's is heard.
wants_sound() {
    sink_target
    [[ $1 == source && ${value[sound]} == yes && $REPLY != null && $REPLY != *.png && $REPLY != web* ]]
}

# Takes the sound of key $1's source along where it has some, by a name for the decoder. $2... are the source and the decoder, whose
# words come last.
take_sound() {
    wants_sound "$1" || return 0
    if [[ -p ${value[source]} ]]; then
        # It is read once, by the pipeline.
        say "source=${value[source]} is a pipe: its sound is ignored"
    elif [[ $answer == *'caps = audio/x-raw'* ]] || { [[ $answer == *'caps = audio/'* ]] && decodes_sound "${@:2}"; }; then
        fragment+=(name=media)
        has_sound=yes
    fi
}

# The same for a source that was not asked yet what it holds, and whose words are $2...
probe_sound() {
    wants_sound "$1" && can_decode_uri || return 0
    probe 2 "${@:2}"
    take_sound "$@"
}

# Whether the sound of a source can be decoded, for one that begins after the frames of the probe.
decodes_sound() {
    local words
    words=$(observe "$@" '!' audioconvert '!' fakesink name=taker num-buffers=1 silent=false) || true
    [[ $words == *':taker: last-message = chain '* ]]
}

# Has the sound end with the last of `frames` frames, in pieces as long as a frame. Needs their rate.
cut_sound() {
    if [[ $frame_rate == 0/* ]]; then
        say "frames=$frames: the frame rate of the source is unknown, so the sound is ignored. To set the rate: fps=N"
        sound=()
    else
        # A sound that begins later than the pictures begins with silence, so that pieces can be counted.
        sound=(identity single-segment=true '!' audiorate '!' audiobuffersplit
            "output-buffer-duration=${frame_rate#*/}/${frame_rate%/*}" '!' "$@" "${sound[@]}")
    fi
}
