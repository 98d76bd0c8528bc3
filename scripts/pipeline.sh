# shellcheck shell=bash
# Named pipelines: reads pipelines/NAME.pipeline, takes the keys' values, runs them. Sourced by `command.sh`.

: "${root:?}" "${program:?}" "${plugin_setting=}" "${runner:?}" "${commands[0]:?}"
readonly pipelines=$root/pipelines
readonly default_size=1280x720 default_fps=30 recorded_seconds=10 picture_frame=45

# MARK: Reading the file

name=''             # of the pipeline
body=''             # its gst-launch description
declare -A value    # of each key: the default, then what the user gave
declare -A is_file  # keys that name what must be there: a `file`, or a `path`, which may be a folder, too
declare -A instead  # keys that replace another one, which is none then
declare -A is_time  # keys that are a time, with a unit
declare -A is_given # keys that the user gave
has_sound=''        # when a source has sound that is taken along
source_size=''      # of source=FILE, WxH, as far as it is known
is_anamorphic=''    # when the pixels of a source may not be square
frame_rate=0/1      # of the fastest source, as far as it is known
default_detector='' # of the pipeline's key detector: network where faces are hidden
endless=''          # when a source never ends by itself: `drawn`, or `live` for a camera or a stream

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
        die 2 "no pipeline '$1'; $(suggestion "$1" $(pipeline_names) $(element_names) "${commands[@]}")to list the pipelines: $program"
    fi
    REPLY=$file
}

# Prints the comment of a pipeline: what it shows, its keys, and the keys that its window takes.
describe_pipeline() {
    load_pipeline "$1"
    sed -n 's/^# \{0,1\}//p' "$pipelines/$1.pipeline"
    echo "Every pipeline also has the keys source, sink, size, fps, frames, sound and models. To list them: $program help"
    describe_keys "$body"
}

# Sets `name`, `body`, `value`, `is_file` and `is_time` from the file.
load_pipeline() {
    local line kind key declaration='^#[[:space:]]*(key|file|path|time)[[:space:]]+([a-z][a-z0-9-]*)=([^[:space:]]*)'
    pipeline_file "$1"
    name=$1
    value=([source]=test [sink]=auto [size]='' [fps]='' [frames]='' [sound]=yes [models]=yes)
    while IFS= read -r line || [[ $line ]]; do
        if [[ $line =~ $declaration ]]; then
            kind=${BASH_REMATCH[1]} key=${BASH_REMATCH[2]}
            value[$key]=${BASH_REMATCH[3]//'{here}'/$pipelines}
            [[ ! $line =~ [[:space:]]instead\ of\ ([a-z][a-z0-9-]*) ]] || instead[$key]=${BASH_REMATCH[1]}
            case $kind in
                file | path) is_file[$key]=$kind ;;
                time) is_time[$key]=yes ;;
            esac
        elif [[ $line != \#* ]]; then
            body+=" $line"
        fi
    done <"$REPLY"
    [[ $body != *'{source2}'* ]] || value[source2]=${value[source2]:-test}
    default_detector=${value[detector]:-}
}

# MARK: Running

# Runs or prints the pipeline $1 with the keys that follow.
run_pipeline() {
    local pair
    load_pipeline "$1"
    shift
    for pair; do set_key "$pair"; done
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
    # Other users see the arguments of a process, but not its environment.
    PIPELINE="${words[*]}" exec "$runner"
}

# Runs a pipeline that is described by a file, the environment, or the arguments.
run_description() {
    ensure_plugin
    use_plugin
    exec "$runner" "$@"
}
