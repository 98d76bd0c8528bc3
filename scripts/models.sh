# shellcheck shell=bash
# Lists and downloads models for elements. Sourced by `command.sh`.

: "${root:?}" "${program:?}"
readonly model_list=$root/scripts/models.txt system_models=/var/lib/swiftvision/models

curl_limits=(--connect-timeout 30 --max-time 600)
download='' # temporary file of the current download

model_names() { sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' "$model_list"; }

# Prints the folders in which elements search for models, in this order. Downloads go to the first folder, which is the user's.
model_folders() {
    [[ ! ${XDG_DATA_HOME:-${HOME:-}} ]] || echo "${XDG_DATA_HOME:-$HOME/.local/share}/swiftvision/models"
    echo "$system_models"
    echo /usr/local/share/swiftvision/models
    echo /usr/share/swiftvision/models
}

# Sets `element`, `property`, `size`, `sum`, `address`, `file` and `use` from the line of model $1 in the list. `property` is empty
# if the element finds the file automatically.
read_model() {
    local name
    while read -r name element size sum address use; do
        [[ $name == "$1" ]] || continue
        file=${address##*/}
        property=''
        [[ $element != *:* ]] || property=${element#*:}
        element=${element%:*}
        use=${use#\# }
        return
    done <"$model_list"
    # shellcheck disable=SC2046  # names have no blanks
    die 2 "no model '$1'; $(suggestion "$1" $(model_names))to list the models: $program models"
}

# Succeeds if file $1 has the size and the checksum of the model that read_model read last. Otherwise, sets REPLY to the difference.
is_model() {
    local found
    found=$(stat -L -c %s -- "$1")
    REPLY="has $found bytes instead of $size"
    ((found == size)) || return 1
    found=$(sha256sum <"$1")
    REPLY="has the SHA-256 ${found%% *} instead of $sum"
    [[ ${found%% *} == "$sum" ]]
}

# Sets REPLY to the path at which elements find the model that read_model read last. Fails if no folder contains the model.
find_model() {
    local folder folders
    mapfile -t folders < <(model_folders)
    for folder in "${folders[@]}"; do
        REPLY=$folder/$file
        [[ ! -f $REPLY || ! -r $REPLY ]] || return 0
    done
    return 1
}

# Asks for consent to download model $1 if the list has a warning about the model. Ends without consent. $2 is `yes` if the user has
# used --yes.
ask_consent() {
    local warning reply=''
    warning=$(sed -n "s/^! $1  *//p" "$model_list")
    [[ $warning && $2 != yes ]] || return 0
    [[ -t 0 && -t 2 ]] || die 2 "models get $1 needs your consent. $warning If you agree, add --yes"
    say "$warning"
    printf 'Download %s? [y/N] ' "$1" >&2
    read -r reply || echo >&2
    case ${reply,,} in
        y | yes) ;;
        *) die 1 "$1 was not downloaded" ;;
    esac
}

list_models() {
    local name element property size sum address file use path
    while read -r name; do
        read_model "$name"
        printf '%-13s for %s (%s kB). %s\n' "$name" "$element${property:+ $property=}" "$((size / 1000))" "$use"
        if ! find_model; then
            echo "              not installed; to install it: $program models get $name"
            continue
        fi
        path=$REPLY
        if is_model "$path"; then echo "              $path"; else echo "              $path is a different file: it $REPLY"; fi
    done < <(model_names)
    echo "Elements search these folders for models:"
    model_folders | sed 's/^/  /'
}

# Downloads a model. The arguments are its name and, optionally, another address. --system installs the model for all users. --yes
# gives consent without a question.
get_model() {
    local element property size sum address file use folders folder='' path why word words=() agreed=''
    for word; do
        case $word in
            --system) folder=$system_models ;;
            --yes) agreed=yes ;;
            *) words+=("$word") ;;
        esac
    done
    set -- "${words[@]}"
    (($# == 1 || $# == 2)) \
        || die 2 "wrong number of arguments for models get: use  $program models get [--system] [--yes] NAME [ADDRESS]"
    read_model "$1"
    address=${2:-$address}
    address=${address// /%20}
    [[ $address =~ ^(https?|file): ]] || die 2 "'$2' is not an address: it must begin with https:, http: or file:"
    if [[ $folder ]]; then
        # All users must be able to read the model.
        umask 022
    else
        [[ ${XDG_DATA_HOME:-${HOME:-}} ]] || die 2 "no folder for models: set HOME or XDG_DATA_HOME"
        mapfile -t folders < <(model_folders)
        folder=${folders[0]}
    fi
    path=$folder/$file
    if [[ -f $path ]] && is_model "$path"; then
        say "$1 is already installed: $path"
        return
    fi
    [[ ! -d $path ]] || die 2 "$path is a folder"
    ask_consent "$1" "$agreed"
    ensure_packages models
    why=$(LC_ALL=C mkdir -p -- "$folder" 2>&1) || cannot_store "$1" "$folder" "$why"
    trap 'rm -f -- "$download"' EXIT
    download=$(LC_ALL=C mktemp -- "$folder/.$file.XXXXXX" 2>&1) || {
        why=$download download=''
        cannot_store "$1" "$folder" "$why"
    }
    [[ $address == file:* ]] || say "downloading $1 ($((size / 1000)) kB) from $address"
    # One byte more than the expected size is enough to detect a file that is too large.
    if ! why=$({ LC_ALL=C curl --fail --location --silent --show-error "${curl_limits[@]}" \
        --proto '=https,http,file' -- "$address" | head -c "$((size + 1))" >"$download"; } 2>&1); then
        why=${why%%$'\n'*}
        why=${why#curl: (*) }
        (($(stat -c %s -- "$download") > size)) || die 1 "cannot download $1 from $address: $why"
    fi
    if ! is_model "$download"; then
        (($(stat -c %s -- "$download") <= size)) || REPLY="has more than $size bytes"
        die 1 "the file from $address is not $1: it $REPLY"
    fi
    chmod 644 -- "$download"
    mv -fT -- "$download" "$path"
    download=''
    if [[ $property ]]; then
        say "stored $path. To use it, set the property $property of $element to this path"
    else
        say "stored $path. $element finds this file automatically"
    fi
}

# Ends because model $1 cannot be stored in folder $2. The reason is the last part of the error message $3.
cannot_store() {
    local hint=''
    [[ $2 != "$system_models" ]] || hint="; run as root: sudo $program models get --system $1"
    die 2 "cannot store $1 in $2: ${3##*: }$hint"
}

models() {
    case ${1:-} in
        '') list_models ;;
        get) get_model "${@:2}" ;;
        *) die 2 "unknown argument '$1' of models; $(suggestion "$1" get)use  $program models  or  $program models get NAME" ;;
    esac
}

# Checks the models for the command doctor.
check_models() {
    local name element property size sum address file use path
    while read -r name; do
        read_model "$name"
        if ! find_model; then
            [[ ! $property ]] || continue # an alternative to another model
            note "no model $name" "optional for $element ($use). To install: $program models get $name"
            continue
        fi
        path=$REPLY
        if is_model "$path"; then
            fine "model $name: $path"
        else
            fail "model $name: the file $path is damaged or different: it $REPLY" "delete the file, then run  $program models get $name"
        fi
    done < <(model_names)
}
