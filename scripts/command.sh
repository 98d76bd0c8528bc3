# shellcheck shell=bash
# The common part of the two programs: `launch` in the repository, and `swiftvision`, which the package installs. Both programs
# source this file and set `root`, the folder with pipelines, docs and scripts; `program`, the name that users type; `commands`,
# which are not names of pipelines; `plugin_setting`, the variable that shows GStreamer the plugin, or nothing if GStreamer finds
# the plugin automatically; and `runner`, the program that runs pipelines. Both define ensure_packages, ensure_plugin, use_plugin
# and check_installation.

: "${root:?}" "${program:?}" "${runner:?}"
print='' # set by --print

say() { printf '%s: %s\n' "${program##*/}" "$*" >&2; }

# Ends with status $1 after one line. Status 2: the request is invalid. Status 1: the request failed.
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
# shellcheck source=scripts/camera.sh
source "$root/scripts/camera.sh"
# shellcheck source=scripts/sink.sh
source "$root/scripts/sink.sh"
# shellcheck source=scripts/send.sh
source "$root/scripts/send.sh"
# shellcheck source=scripts/sound.sh
source "$root/scripts/sound.sh"
# shellcheck source=scripts/streams.sh
source "$root/scripts/streams.sh"
# shellcheck source=scripts/doctor.sh
source "$root/scripts/doctor.sh"

# MARK: Help

# Prints a command, its description, and further lines of the description.
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
    command_help 'NAME --print [...]' "print the gst-launch-1.0 command of the pipeline, and do not run the pipeline"
    command_help 'run [...]' \
        "run a pipeline description from a file, the environment variable PIPELINE or the arguments." \
        "\`$program run --help\` lists the options"
    command_help 'filters --list' "list the filters of svfilter and their parameters"
    command_help looks "list the looks of svfilter: filter chains with a name"
    command_help 'help NAME' \
        "describe NAME: a pipeline, element, command or key, a filter or look, or a property or action of an element"
    command_help models "list the models for elements, and the folders in which elements search for models"
    command_help 'models get [--system] [--yes] NAME [ADDRESS]' \
        "download a model from its standard address, or from ADDRESS (https: or file:). With --system," \
        "install the model for all users. With --yes, agree to the conditions of the model"
    command_help 'streams [ADDRESS [TOPIC]] [key=value ...]' \
        "list the stream states that svpublish sends to an MQTT broker, on the topics TOPIC/stats." \
        "ADDRESS is tcp://127.0.0.1:1883 by default. For TLS, use ssl://HOST. TOPIC is + by default." \
        "Keys: username=, password-file=, tls-ca-file=, tls-cert-file=, tls-key-file=. Without" \
        "password-file=, the environment variable SVPUBLISH_PASSWORD contains the password"
    command_help 'streams FILE ...' "list the stream states that svpublish writes to files (stats-file=)"
    command_help cameras "list the cameras, their modes, and their controls with ranges and current values"
    command_help doctor "check this machine, and print a fix for each problem"
    command_help --version "print the version"
}

keys_help() {
    cat <<HELP
Ctrl-C ends a pipeline and completes its file. A second Ctrl-C ends the pipeline at once.

Keys of every pipeline
  source=   test (default), webcam, /dev/videoN, a video file, FILE,loop (a video file in a loop), an image file, or a
            URI. auto = webcam, or test if there is no camera. The pipeline reconnects to a network camera
            (rtsp:, srt:, udp:, rtp:) after a loss
  sink=     auto (default), window, null, web (a page in a browser that shows and controls the pipeline), web:PORT,
            web:0.0.0.0:PORT (also for other machines), a .mp4, .mov, .mkv or .webm file, a .png file (one frame),
            rtmp://HOST/APPLICATION/, rtmps://..., srt://HOST:PORT, srt://:PORT (wait for receivers), hls:FOLDER, or
            /dev/videoN (a virtual camera). For streams, see $(page_place streaming).
            auto = window if there is a display. Without a display, auto = web if $program runs in a terminal.
            Otherwise, auto = the file NAME.mp4 in the current folder
  size=     WxH: scale the source to this size, in pixels (default for test: 1280x720)
  fps=      frames per second, such as 25 or 30000/1001 (default for test: 30). A camera uses the mode that is nearest to
            size= and fps=
  flip=     none (default), mirror, or a clockwise rotation in degrees: 90, 180 or 270. size= is the size after the flip
  camera=   controls of a camera, such as camera='focus_automatic_continuous=0,focus_absolute=30'. To list the controls of
            your cameras: $program cameras
  sound=    yes (default) or no: play or record the sound of source=, and in the pipeline switch, the sound of the source
            that the pipeline shows. For a network camera, the default is no. With sound=yes, the pipeline does not
            reconnect to the camera
  on-loss=  if a camera sends no frames: stop (default for cameras of this machine), card (default for network cameras;
            show a placeholder image), hold (repeat the last frame) or wait (send nothing). Except with stop, the
            pipeline opens the camera again
  key-file= file with the stream key of an RTMP sink, or the passphrase of an SRT sink, in the first line. Without
            key-file=, the environment variable SWIFTVISION_STREAM_KEY contains the stream key
  frames=   number of frames after which the pipeline ends. With a .png sink: number of the frame to save (default 45)
  snapshots= file to which the key s in a window saves the current frame (default NAME-%05d.png; none = no snapshots)
  models=   yes (default) or no: offer to download the network YuNet if a pipeline detects faces and YuNet is missing

A pipeline with source2= or source3= also has flip2= and camera2=, or flip3= and camera3=.
env:NAME is the value of the environment variable NAME, as in source=env:CAMERA. Process lists do not show the value.
Numbers can change over time: 'opacity=0->1@3s smooth', 'opacity=0->1@1s, hold 8s, 1->0@1s, repeat' ($(page_place animation)).
HELP
}

list() {
    echo "To run one of these pipelines: $program NAME [key=value ...]"
    list_pipelines
    echo "To list the other commands: $program help"
}

# Prints the filters, as gst-inspect-1.0 shows them for the plugin.
list_filters() {
    ensure_plugin
    use_plugin
    gst-inspect-1.0 svfilter | sed -n '/^  Filters/,/^  Looks/{//!p}'
}

# Prints the looks from their files. In contrast to gst-inspect-1.0, this needs no plugin. The first line of a file is a comment
# with the summary.
list_looks() {
    local folder=$root/Sources/CLooks/looks
    [[ -d $folder ]] || folder=$root/looks # in the package
    awk 'FNR == 1 {
        name = FILENAME
        sub(/.*\//, "", name)
        sub(/\.filters$/, "", name)
        sub(/^[# ]+/, "")
        printf "%-22s%s\n", name, $0
    }' "$folder"/*.filters
}

# Describes an element, a pipeline, a command, a key of all pipelines, a filter or look, or a property or action of elements.
describe_name() {
    local lines=''
    if [[ $1 == sv* && -f $root/docs/$1.md ]]; then
        describe_element "$1"
    else
        [[ -f $pipelines/$1.pipeline ]] || lines=$(help_lines "$1" && filter_lines "$1")
        [[ $lines || -f $pipelines/$1.pipeline ]] || lines=$(member_lines "$1")
        if [[ $lines ]]; then printf '%s\n' "$lines"; else describe_pipeline "$1"; fi
    fi
}

# Prints the lines of `help` about command or key $1. Further lines of a description are indented.
help_lines() {
    help | command="$program $1" key="  $1=" awk '
        BEGIN { command = ENVIRON["command"]; key = ENVIRON["key"] }
        !/^            / { isWanted = index($0 " ", command " ") == 1 || index($0, key) == 1 }
        isWanted'
}

# Prints the description of filter or look $1 from the page of svfilter.
filter_lines() {
    name=$1 page=$(page_place svfilter) awk '
        BEGIN { FS = " \\| " }
        /^\| [a-z]+ \|/ { isList = /^\| (filter|look) / }
        isList && index($0, "| `" ENVIRON["name"] "` | ") == 1 {
            count = split($3, part, "<br>")
            printf "%s of svfilter: %s\n", ENVIRON["name"], $2
            for (i = 1; i <= count; i++) {
                sub(/ \|$/, "", part[i]); gsub(/`/, "", part[i]); gsub(/\\\|/, "|", part[i])
                print "  " part[i]
            }
            print "More: " ENVIRON["page"]
            exit
        }' "$root/docs/svfilter.md"
}

# MARK: Commands

# Runs a command of both programs: command $1 with the arguments that follow.
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
        cameras) cameras "$@" ;;
        looks)
            (($# == 0)) || die 2 "too many arguments for looks"
            list_looks
            ;;
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
