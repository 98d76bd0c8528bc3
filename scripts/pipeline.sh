# shellcheck shell=bash
# Named pipelines: reads pipelines/NAME.pipeline, sets the values of the keys, and runs the pipeline. Sourced by `command.sh`.

: "${root:?}" "${program:?}" "${plugin_setting=}" "${runner:?}" "${commands[0]:?}"
readonly pipelines=$root/pipelines
readonly default_size=1280x720 default_fps=30 recorded_seconds=10 picture_frame=45
readonly source_keys=(source source2 source3) # flip2 and camera2 belong to source2

# MARK: Reading the file

name=''             # name of the pipeline
body=''             # its gst-launch-1.0 description
declare -A value    # value of each key: the default, or the user's value
declare -A is_file  # keys with an existing file (`file`), or an existing file or folder (`path`)
declare -A instead  # for a key, the other key that it replaces by the value none
declare -A default_with # for a key: another key, and the default value if the user sets this other key
declare -A is_time  # keys whose value is a time with a unit
declare -A is_given # keys that the user has set
declare -A is_loop  # source keys whose file plays in a loop
has_sound=''        # yes if the pipeline uses the sound of a source
source_size=''      # size of source=FILE as WxH, if it is known
is_anamorphic=''    # yes if the pixels of a source may not be square
frame_rate=0/1      # frame rate of the fastest source, if it is known
default_detector='' # default of the key detector: network if the pipeline hides faces
endless=''          # set if a source never ends: `drawn`, or `live` for a camera or a stream

# Prints the first comment line of a pipeline file.
summary() {
    local line
    read -r line <"$1" || true
    line=${line#\#}
    echo "${line# }"
}

list_pipelines() {
    local file
    for file in "$pipelines"/*.pipeline; do
        printf '  %-15s %s\n' "$(basename "$file" .pipeline)" "$(summary "$file")"
    done
}

pipeline_file() {
    local file=$pipelines/$1.pipeline
    if [[ $1 == */* || ! -f $file ]]; then
        # shellcheck disable=SC2046  # names have no blanks
        die 2 "no pipeline, element, filter or command '$1'; $(suggestion "$1" $(pipeline_names) $(element_names) "${commands[@]}")to list the pipelines: $program"
    fi
    REPLY=$file
}

# Prints the comment of a pipeline file, the common keys, and the keys in the video window.
describe_pipeline() {
    load_pipeline "$1"
    sed -n 's/^# \{0,1\}//p' "$pipelines/$1.pipeline"
    echo "Every pipeline also has the keys source, sink, size, fps, flip, camera, on-loss, frames, snapshots, sound, key-file and models. To list them: $program help"
    describe_keys "$body"
}

# Sets `name`, `body`, and what the declarations say about keys, such as `value` and `is_file`.
load_pipeline() {
    local line kind key number declaration='^#[[:space:]]*(key|file|path|time)[[:space:]]+([a-z][a-z0-9-]*)=([^[:space:]]*)'
    pipeline_file "$1"
    name=$1
    value=([source]=test [sink]=auto [snapshots]='' [size]='' [fps]='' [frames]='' [sound]=yes [models]=yes [flip]=none [camera]='' [on-loss]='' [key-file]='')
    while IFS= read -r line || [[ $line ]]; do
        if [[ $line =~ $declaration ]]; then
            kind=${BASH_REMATCH[1]} key=${BASH_REMATCH[2]}
            value[$key]=${BASH_REMATCH[3]//'{here}'/$pipelines}
            [[ ! $line =~ [[:space:]]instead\ of\ ([a-z][a-z0-9-]*) ]] || instead[$key]=${BASH_REMATCH[1]}
            [[ ! $line =~ [[:space:]]([a-z-]+)\ with\ ([a-z][a-z0-9-]*)=FILE ]] || default_with[$key]="${BASH_REMATCH[2]} ${BASH_REMATCH[1]}"
            case $kind in
                file | path) is_file[$key]=$kind ;;
                time) is_time[$key]=yes ;;
            esac
        elif [[ $line != \#* ]]; then
            body+=$'\n'$line
        fi
    done <"$REPLY"
    for key in "${source_keys[@]:1}"; do
        [[ -v value[$key] || $body == *"{$key}"* || $body == *"{$key?}"* ]] || continue
        number=${key#source}
        value[$key]=${value[$key]:-test}
        value[flip$number]=${value[flip$number]:-none}
        value[camera$number]=${value[camera$number]:-}
    done
    default_detector=${value[detector]:-}
}

# MARK: Running

# Runs or prints the pipeline $1 with the settings that follow.
run_pipeline() {
    local pair
    load_pipeline "$1"
    shift
    for pair; do set_key "$pair"; done
    choose_defaults
    check_values
    find_sources
    choose_detector
    choose_algorithm
    describe
    if [[ $print ]]; then
        print_line ${plugin_setting:+"$plugin_setting"} gst-launch-1.0 -e --no-fault --no-position "${words[@]}"
        return
    fi
    ensure_plugin
    use_plugin
    check_choices
    # Other users can see the arguments of a process, but not its environment, so the description goes to the environment.
    PIPELINE="${words[*]}" exec "$runner"
}

# Runs a pipeline description from a file, the environment, or the arguments.
run_description() {
    local file=$root/Sources/Runner/Options.swift
    # In the repository, the help comes from the source of the runner, because the help must not start a build.
    if [[ $* == --help && -f $file ]]; then
        sed -n '/static let usage = """/,/^ *"""$/{//!s/^ \{0,8\}//p}' "$file"
        return
    fi
    ensure_plugin
    use_plugin
    exec "$runner" "$@"
}
