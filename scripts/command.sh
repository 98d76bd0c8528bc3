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
    command_help 'NAME [key=value ...]' "run the pipeline NAME"
    command_help 'NAME --print [...]' "print the gst-launch-1.0 command instead of running the pipeline"
    command_help 'run [...]' \
        "run a pipeline description from a file, the environment variable PIPELINE, or the arguments," \
        "for example as a service; \`$program run --help\` lists the options"
    command_help 'filters --list' "list the filters of svfilter and their parameters"
    command_help 'help NAME' \
        "describe a pipeline, its keys and the keys in its window; or summarise the page of an" \
        "element, such as svblend"
    command_help models "list the models that elements can use, and the folders in which elements search" "for models"
    command_help 'models get [--system] [--yes] NAME [ADDRESS]' \
        "download a model from its usual address or from ADDRESS (https: or file:), for this user, or" \
        "with --system for all users; --yes agrees to its conditions"
    command_help 'streams [ADDRESS [TOPIC]] [key=value ...]' \
        "list the states of streams that svpublish reports to the MQTT broker at ADDRESS" \
        "(default tcp://127.0.0.1:1883; with TLS ssl://HOST) under TOPIC (default +). Keys: username=," \
        "password-file= (or the variable SVPUBLISH_PASSWORD), tls-ca-file=, tls-cert-file=, tls-key-file="
    command_help 'streams FILE ...' "list the states of streams that svpublish writes to files (stats-file=)"
    command_help doctor "check this machine, and print a fix for each problem"
    command_help --version "print the version"
}

keys_help() {
    cat <<HELP
Ctrl-C ends a pipeline and completes its file. A second Ctrl-C ends it at once.

Keys of every pipeline
  source=   test (default), webcam, /dev/videoN, a video or image file, or a URI. auto = webcam, or test without a camera.
            For network cameras (rtsp:, srt:, udp:, rtp:), svurisrc reconnects after a loss
  sink=     auto (default), window, null, web (a page in a browser that shows and controls the pipeline), web:PORT,
            web:0.0.0.0:PORT (also for other machines), a .mp4, .mkv or .webm file, or a .png file for one frame.
            auto = a window. Without a display, auto = web at a terminal, otherwise the file NAME.mp4 in the current folder
  size=     WxH: scale the source to this size in pixels (test: 1280x720)
  fps=      frames per second: 25 or 30000/1001 (test: 30)
  sound=    yes (default) or no: play or record the sound of source=. A network camera has sound only with an explicit
            sound=yes, and then does not reconnect
  frames=   number of frames until the pipeline ends; with a .png sink, the number of the frame to save (default 45)
  models=   yes (default) or no: if a pipeline detects faces and the network YuNet is missing, offer to download YuNet

env:NAME stands for the value of the environment variable NAME, such as source=env:CAMERA. Process lists do not show this value.
Values that are numbers can be animated: 'opacity=0->1@3s', 'opacity=0->1@3s smooth' ($(page_place animation)).
HELP
}

list() {
    echo "$program NAME [key=value ...] runs one of these pipelines:"
    list_pipelines
    echo "$program help lists the other commands."
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
