# shellcheck shell=bash
# The network that finds human faces: offered where a pipeline looks for faces and it is not installed. Sourced by `command.sh`.

: "${root:?}" "${program:?}" "${print=}" "${default_detector=}"
readonly face_model=yunet

# Decides what finds the faces of the pipeline, and offers the network where it is missing. Ends where faces in real video would
# be hidden without it: cascades miss too many.
choose_detector() {
    local element property size sum address file use name_of_model state
    [[ ${value[detector]:-cascade} != cascade && ${value[species]:-human} == *human* ]] || return 0
    if [[ $default_detector == network ]]; then
        if is_real; then
            value[detector]=network
        elif [[ ! ${is_given[detector]:-} ]]; then
            value[detector]=auto # drawn faces are no secret
        fi
    fi
    [[ ! $print ]] || return 0
    read_model "$face_model"
    name_of_model=${use%%:*}
    ! has_model || return 0
    state=$REPLY
    if may_offer; then
        if may_ask && ask; then
            ! fetch_offered || return 0
            state=$REPLY
        fi
        [[ ${value[detector]} == network ]] || say "$state. OpenCV's cascades detect the faces instead, but miss turned, dark," \
            "small and half hidden faces. To install $name_of_model ($((size / 1000)) kB, ${use##*; }):" \
            "$program models get $face_model. To hide this note: models=no"
    fi
    [[ ${value[detector]} == network ]] || return 0
    if [[ $default_detector == network ]] && is_real; then
        die 2 "$state. Without $name_of_model, too many faces in real video stay visible. To install $name_of_model:" \
            "$program models get $face_model. To run the pipeline without $name_of_model: detector=cascade"
    fi
    die 2 "detector=network: $state. To install $name_of_model: $program models get $face_model"
}

# Drawn people look alike to the network that recognises faces.
choose_algorithm() {
    if [[ ${value[algorithm]:-} == auto && ! ${is_given[algorithm]:-} ]] && ! is_real; then value[algorithm]=lbph; fi
}

# Whether the pipeline shows anything but drawn scenes.
is_real() { [[ ${value[source]} != test || ${value[source2]:-test} != test ]]; }

# Whether elements find the model that was read last. Else says in REPLY what is wrong.
has_model() {
    local folder folders wrong="$name_of_model is not installed"
    mapfile -t folders < <(model_folders)
    for folder in "${folders[@]}"; do
        [[ -f $folder/$file && -r $folder/$file ]] || continue
        ! is_model "$folder/$file" || return 0
        wrong="$folder/$file is not $name_of_model: it $REPLY"
    done
    REPLY=$wrong
    return 1
}

# Whether missing models are mentioned at all: not in tests and services that say so.
may_offer() {
    [[ ${value[models]} == yes && ${SWIFTVISION_MODELS:-yes} != no && ${CI:-false} == false ]]
}

# Succeeds if the user can answer, was not asked today, and has not said no before.
may_ask() {
    [[ -t 0 && -t 2 ]] && command -v curl >/dev/null || return 1
    offer_record
    [[ ! -s $REPLY && ! $(find "$REPLY" -mmin -1440 2>/dev/null) ]]
}

# Sets REPLY to the file that keeps the answer: empty after an attempt, "no" for good.
offer_record() {
    local folder=${XDG_STATE_HOME:-${HOME:+$HOME/.local/state}}
    REPLY=${folder:-/nonexistent}/swiftvision/offered-$face_model
}

ask() {
    local record reply=''
    offer_record
    record=$REPLY
    # Also an attempt that is interrupted was one.
    { mkdir -p -- "${record%/*}" && : >"$record"; } 2>/dev/null || true
    say "$state. $name_of_model is a neural network that detects faces. It also detects turned, dark, small and half hidden faces."
    say "$name_of_model: $((size / 1000)) kB, licence ${use##*; }, from $address"
    printf 'Download %s now? [Y/n] ' "$name_of_model" >&2
    if ! read -r -t 60 reply; then
        echo >&2
        return 1
    fi
    case ${reply,,} in
        '' | y | yes) return 0 ;;
    esac
    { echo no >"$record"; } 2>/dev/null || true
    return 1
}

# Fetches the model without holding anybody up for long. Else says in REPLY why not.
fetch_offered() {
    local told
    # What is missing for a download is not installed now, and a failure does not end the pipeline.
    if told=$({
        ensure_packages() { :; }
        curl_limits=(--connect-timeout 5 --speed-time 5 --speed-limit 10000 --max-time 30)
        get_model "$face_model"
    } 2>&1); then
        printf '%s\n' "$told" >&2
        offer_record
        rm -f -- "$REPLY"
        return
    fi
    told=${told##*$'\n'}
    REPLY=${told#"${program##*/}: "}
    return 1
}
