# shellcheck shell=bash
# Offers to download the network for human faces if a pipeline detects faces and the network is missing. Sourced by `command.sh`.

: "${root:?}" "${program:?}" "${print=}" "${default_detector=}"
readonly face_model=yunet

# Sets the face detector of the pipeline, and offers the network if it is missing. Ends if the pipeline would hide faces in real
# video without the network, because cascades miss too many faces.
choose_detector() {
    local element property size sum address file use name_of_model state
    [[ ${value[detector]:-cascade} != cascade && ${value[species]:-human} == *human* ]] || return 0
    if [[ $default_detector == network ]]; then
        if is_real; then
            value[detector]=network
        elif [[ ! ${is_given[detector]:-} ]]; then
            value[detector]=auto # drawn faces need no protection
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

# The recognition network cannot distinguish drawn people, so drawn scenes use the algorithm lbph.
choose_algorithm() {
    if [[ ${value[algorithm]:-} == auto && ! ${is_given[algorithm]:-} ]] && ! is_real; then value[algorithm]=lbph; fi
}

# Succeeds if a source of the pipeline is not a drawn scene.
is_real() {
    local key
    for key in "${source_keys[@]}"; do
        [[ ${value[$key]:-none} == @(test|none) ]] || return 0
    done
    return 1
}

# Succeeds if elements find the model that read_model read last. Otherwise, sets REPLY to the problem.
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

# Succeeds if the program may mention missing models. Tests and services can turn this off.
may_offer() {
    [[ ${value[models]} == yes && ${SWIFTVISION_MODELS:-yes} != no && ${CI:-false} == false ]]
}

# Succeeds if the user can answer, was not asked today, and has not said no before.
may_ask() {
    [[ -t 0 && -t 2 ]] && command -v curl >/dev/null || return 1
    offer_record
    [[ ! -s $REPLY && ! $(find "$REPLY" -mmin -1440 2>/dev/null) ]]
}

# Sets REPLY to the file that stores the answer: empty after a question, "no" if the user has declined.
offer_record() {
    local folder=${XDG_STATE_HOME:-${HOME:+$HOME/.local/state}}
    REPLY=${folder:-/nonexistent}/swiftvision/offered-$face_model
}

ask() {
    local record reply=''
    offer_record
    record=$REPLY
    # An interrupted question counts as a question, too.
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

# Downloads the model with short time limits. If the download fails, sets REPLY to the reason.
fetch_offered() {
    local told
    # This download must not install packages, and a failure must not end the pipeline.
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
