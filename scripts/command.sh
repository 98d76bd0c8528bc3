# shellcheck shell=bash
# What the two programs share: `launch` in the repository, and `swiftvision`, which the package installs. Sourced by both, which
# set `root`, the folder with pipelines, docs and scripts; `program`, as users call it; `commands`, which are no names of
# pipelines; `plugin_setting`, the variable that shows GStreamer the plugin, or nothing where it finds it by itself; `runner`, the
# program that runs pipelines. They have ensure_packages, ensure_plugin, use_plugin and check_installation.

: "${root:?}" "${program:?}" "${runner:?}"
print='' # set by --print

say() { printf '%s: %s\n' "${program##*/}" "$*" >&2; }

# Ends with status $1 and one line. Status 2: what was asked for cannot be; 1: it failed.
die() {
    local status=$1
    shift
    say "$@"
    exit "$status"
}

# shellcheck source=scripts/names.sh
source "$root/scripts/names.sh"
# shellcheck source=scripts/models.sh
source "$root/scripts/models.sh"
# shellcheck source=scripts/offer.sh
source "$root/scripts/offer.sh"
# shellcheck source=scripts/pipeline.sh
source "$root/scripts/pipeline.sh"
# shellcheck source=scripts/values.sh
source "$root/scripts/values.sh"
# shellcheck source=scripts/secrets.sh
source "$root/scripts/secrets.sh"
# shellcheck source=scripts/words.sh
source "$root/scripts/words.sh"
# shellcheck source=scripts/probe.sh
source "$root/scripts/probe.sh"
# shellcheck source=scripts/source.sh
source "$root/scripts/source.sh"
# shellcheck source=scripts/sink.sh
source "$root/scripts/sink.sh"
# shellcheck source=scripts/sound.sh
source "$root/scripts/sound.sh"
# shellcheck source=scripts/streams.sh
source "$root/scripts/streams.sh"
# shellcheck source=scripts/doctor.sh
source "$root/scripts/doctor.sh"

# MARK: Help

# A command and what it does, and further lines of that.
command_help() {
    local usage="$program${1:+ $1}" line
    ((${#usage} < 32)) || { echo "$usage" && usage=''; }
    for line in "${@:2}"; do
        printf '%-31s %s\n' "$usage" "$line"
        usage=''
    done
}

run_help() {
    command_help '' "list the pipelines"
    command_help 'NAME [key=value ...]' "run the pipeline of that name"
    command_help 'NAME --print [...]' "show the gst-launch-1.0 line instead of running it"
    command_help 'run [...]' "run a pipeline from a file, the environment variable PIPELINE, or the arguments, as services do;" \
        "\`$program run --help\` lists the options"
    command_help 'filters --list' "name every filter of svfilter, with its parameters"
    command_help 'help NAME' "what a pipeline shows, its keys, and those of its window; of an element (svblend): its page" \
        "in short"
    command_help models "list the models that help elements, and where these look for them"
    command_help 'models get [--system] NAME [ADDRESS]' "fetch one, from where the project found it or from ADDRESS (https: or" \
        "file:), for this user or with --system for all users"
    command_help 'streams [ADDRESS [TOPIC]] [key=value ...]' "list which streams are alive, from the notes that svpublish leaves" \
        "with the MQTT broker at ADDRESS (tcp://127.0.0.1:1883, or ssl://HOST) under TOPIC (+)" \
        "keys: username=, password-file= (or the variable SVPUBLISH_PASSWORD), tls-ca-file=, tls-cert-file=, tls-key-file="
    command_help 'streams FILE ...' "the same from files (stats-file=)"
    command_help doctor "say what is missing or would not work here, and the fix"
    command_help --version "the version, which gst-inspect-1.0 tells, too"
}

keys_help() {
    cat <<HELP
Ctrl-C ends a pipeline; its file is complete. A second Ctrl-C ends it at once.

Keys of every pipeline
  source=   test (default), webcam, /dev/videoN, a video or picture file, or a URI; auto: webcam, or test without one.
            A network camera (rtsp:, srt:, udp:, rtp:) may come and go: svurisrc reconnects
  sink=     auto (default: a window; without a display web at a terminal, else a file NAME.mp4 here), window, null,
            web (a page in a browser that also steers the pipeline), web:PORT, web:0.0.0.0:PORT (for other machines, too),
            a .mp4, .mkv or .webm file, or a .png file for a single frame
  size=     WxH: the source is scaled to it (test: 1280x720)
  fps=      frames per second: 25 or 30000/1001 (test: 30)
  sound=    yes (default) or no: whether the sound of source=, where it has some, goes along to a window or a file. Of a
            network camera only if sound=yes is given, and then nothing reconnects
  frames=   exactly so many frames reach the sink; with a .png sink, the number of the frame to keep (45)
  models=   yes (default) or no: whether pipelines that look for faces offer the network YuNet where it is not installed

A value env:NAME is that of the environment variable NAME, so that no list of processes shows it: source=env:CAMERA.
A number of an element may change by itself: 'opacity=0->1@3s', 'opacity=0->1@3s smooth' ($(page_place animation)).
HELP
}

list() {
    echo "$program NAME [key=value ...] runs one of"
    list_pipelines
    echo "$program help says the rest."
}

# As gst-inspect shows them, from the plugin itself.
list_filters() {
    ensure_plugin
    use_plugin
    gst-inspect-1.0 svfilter | sed -n '/^  Filters/,/^Plugin Details/{//!p}'
}

# Tells of a pipeline or an element.
describe_name() {
    if [[ $1 == sv* && -f $root/docs/$1.md ]]; then describe_element "$1"; else describe_pipeline "$1"; fi
}

# MARK: Commands

# Does what both programs do: command $1 with the arguments that follow.
run_command() {
    local task=$1
    shift
    case $task in
        list) list ;;
        help | -h | --help) if (($#)); then describe_name "$1"; else help; fi ;;
        --version) echo "swiftvision $(version)" ;;
        doctor) doctor ;;
        run) run_description "$@" ;;
        models) models "$@" ;;
        streams) streams "$@" ;;
        filters)
            if [[ ${1:-} == --list && $# == 1 ]]; then list_filters; else pipeline_command "$task" "$@"; fi
            ;;
        *) pipeline_command "$task" "$@" ;;
    esac
}

# Runs a pipeline, or prints it.
pipeline_command() {
    local arguments=() argument
    for argument; do
        if [[ $argument == --print ]]; then print=yes; else arguments+=("$argument"); fi
    done
    ((${#arguments[@]})) || die 2 "--print needs the name of a pipeline"
    run_pipeline "${arguments[@]}"
}
