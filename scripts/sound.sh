# shellcheck shell=bash
# Connects the sound of a source to a window or a file. Sourced by `command.sh`.

sound_keys=() # keys of the sources with sound

# Succeeds if svswitch selects the sound. Other pipelines play only the sound of the first source.
switches_sound() { [[ $body == *svswitch* ]]; }

# Succeeds if the pipeline needs the sound of the source of key $1.
wants_sound() {
    sink_target
    [[ ${value[sound]} == yes && $sink_kind == @(window|video|rtmp|srt|hls) ]] && { [[ $1 == source ]] || switches_sound; }
}

# If the pipeline needs the sound of the source of key $1, and the source has sound, adds the key to `sound_keys`, and sets REPLY to
# the name of the element that delivers the sound. Fails otherwise. $2... are the words of the source and the decoder.
find_sound() {
    wants_sound "$1" || return 1
    if [[ -p ${value[$1]} ]]; then
        # Only the pipeline itself can read a pipe, so the sound cannot be probed.
        say "$1=${value[$1]} is a pipe: the pipeline plays without the sound of $1="
        return 1
    fi
    [[ $answer == *'caps = audio/x-raw'* ]] || { [[ $answer == *'caps = audio/'* ]] && decodes_sound "${@:2}"; } || return 1
    sound_keys+=("$1")
    has_sound=yes
    REPLY=media${1#source}
}

# If the source of key $1 has sound, gives the decoder a name, to which the sound is linked. $2... are the words of the source and
# the decoder. The name follows the last word.
take_sound() {
    ! find_sound "$@" || fragment+=("name=$REPLY")
}

# Does the same for a source that has not been probed, with the words $2...
probe_sound() {
    wants_sound "$1" && can_decode_uri || return 0
    probe 2 "${@:2}"
    take_sound "$@"
}

# Puts the elements that deliver the sound of the sources before the elements in `sound`.
join_sounds() {
    local key number words=()
    for key in "${sound_keys[@]}"; do
        number=${key#source}
        # The queue is before the volume, so that little sound is processed before svswitch changes the volume. An appsrc contains a
        # queue.
        local queue=(queue '!')
        if [[ ${is_loop[$key]:-} ]]; then
            words+=(appsrc "name=media$number")
            queue=()
        else
            words+=("media$number.")
        fi
        words+=('!' audioconvert '!' audioresample '!')
        if switches_sound; then
            words+=('audio/x-raw,rate=48000' '!' "${queue[@]}" volume "name=volume$number" '!' sounds.)
        else
            words+=("${queue[@]}")
        fi
    done
    if switches_sound; then
        sound=("${words[@]}" audiomixer name=sounds '!' audioconvert '!' audioresample '!' "${sound[@]}")
    else
        sound=("${words[@]}" "${sound[@]}")
    fi
}

# Sets `fragment` to the properties that tell svswitch the elements for the sounds.
switch_words() {
    local key number
    fragment=()
    for key in "${sound_keys[@]}"; do
        number=${key#source}
        fragment+=("sink_$((${number:-1} - 1))::sound=volume$number")
    done
}

# Succeeds if the sound of a source can be decoded. The sound may begin after the frames of the probe.
decodes_sound() {
    local words
    words=$(observe "$@" '!' audioconvert '!' fakesink name=taker num-buffers=1 silent=false) || true
    [[ $words == *':taker: last-message = chain '* ]]
}

# Ends the sound with the last of `frames` frames. Splits the sound into buffers as long as a frame, and so needs the frame rate.
cut_sound() {
    if [[ $frame_rate == 0/* ]]; then
        say "frames=$frames: the frame rate of the source is unknown, so the pipeline plays without sound. To set the rate: fps=N"
        sound=()
    else
        # If the sound begins after the video, audiorate adds silence before the sound, so that the buffers can be counted.
        sound=(identity single-segment=true '!' audiorate '!' audiobuffersplit
            "output-buffer-duration=${frame_rate#*/}/${frame_rate%/*}" '!' "$@" "${sound[@]}")
    fi
}
