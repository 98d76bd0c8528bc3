# Completion for the command swiftvision: pipelines, keys, files, filters and models.
# shellcheck shell=bash disable=SC2016,SC2034  # backquotes of pages; what _init_completion sets

_swiftvision() {
    local cur prev words cword split share=/usr/share/swiftvision file
    _init_completion -n = || return
    local pipelines
    pipelines=$(cd "$share/pipelines" && printf '%s\n' *.pipeline)
    pipelines=${pipelines//.pipeline/}
    if ((cword == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$pipelines list help run doctor models streams cameras looks --version" -- "$cur")
        return
    fi
    case ${words[1]} in
        run)
            mapfile -t COMPREPLY < <(compgen -W '--file --stop-timeout --verbose --help' -- "$cur"; compgen -f -- "$cur")
            return
            ;;
        help)
            local elements
            elements=$(cd "$share/docs" && printf '%s\n' sv*.md)
            mapfile -t COMPREPLY < <(compgen -W "$pipelines ${elements//.md/}" -- "$cur")
            return
            ;;
        models)
            if ((cword == 2)); then
                mapfile -t COMPREPLY < <(compgen -W get -- "$cur")
            else
                mapfile -t COMPREPLY < <(compgen -W \
                    "--system --yes $(sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' "$share/scripts/models.txt")" -- "$cur")
            fi
            return
            ;;
    esac
    file=$share/pipelines/${words[1]}.pipeline
    [[ -f $file ]] || return
    local key=${cur%%=*} value=${cur#*=}
    if [[ $cur != *=* ]]; then
        local keys
        keys=$(sed -nE 's/^#[[:space:]]*(key|file|path|time)[[:space:]]+([a-z][a-z0-9-]*)=.*/\2=/p' "$file")
        [[ ${words[1]} != filters ]] || keys+=" --list"
        ! grep -q '{source2}' "$file" || keys+=" flip2= camera2="
        ! grep -q '{source3}' "$file" || keys+=" flip3= camera3="
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -W "$keys source= sink= size= fps= flip= camera= sound= key-file= frames= models= --print" -- "$cur")
        return
    fi
    local values=''
    case $key in
        sink) values='auto window null web rtmp:// rtmps:// srt:// hls:' ;;
        source | source2) values='test webcam auto' ;;
        source3) values='test webcam auto none' ;;
        flip | flip2 | flip3) values='none mirror 90 180 270' ;;
        sound | models) values='yes no' ;;
        detector) values='auto cascade network' ;;
        mode) values=$(sed -nE 's/^\| `([a-z-]+)` .*/\1/p' "$share/docs/svblend.md") ;;
        filters) values=$(sed -nE 's/^\| `([a-z-]+)` .*/\1/p' "$share/docs/svfilter.md") ;;
    esac
    # bash treats the text after = as a separate word.
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$value"; compgen -f -- "$value")
    # The host of an address, or the folder of hls:, follows without a space.
    [[ ${COMPREPLY[*]} != *[:/] ]] || compopt -o nospace
    [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/$key=}")
}
complete -F _swiftvision swiftvision
