# shellcheck shell=bash
# The sound of a source, on its way to a window or a file. Sourced by `command.sh`.

# Takes the sound of key $1's source, which the other words decode, along where there is some, by a name for the decoder.
# Of two sources, the first one's is heard.
take_sound() {
    sink_target
    [[ $1 == source && ${value[sound]} == yes && $REPLY != null && $REPLY != *.png && $REPLY != web* ]] || return 0
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
