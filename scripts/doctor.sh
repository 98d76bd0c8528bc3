# shellcheck shell=bash
# The command doctor, which finds problems of this machine. Sourced by `command.sh`. Each of the two programs defines its own
# check_installation.

: "${program:?}"

doctor_failures=0

fine() { printf '  ok    %s\n' "$1"; }
note() { printf '  note  %s\n        %s\n' "$1" "$2"; }
fail() {
    printf '  FAIL  %s\n        %s\n' "$1" "$2"
    doctor_failures=$((doctor_failures + 1))
}

# Prints missing and faulty parts of this machine, each with a fix. Changes nothing.
doctor() {
    check_installation
    check_elements
    check_models
    check_sound
    check_devices
    if ((doctor_failures)); then
        echo "Number of problems to fix: $doctor_failures"
        return 1
    fi
    echo "No problems found. To run a pipeline: $program blend"
}

# Prints the version in the output of a command, such as 6.3.1. Prints nothing if the command does not run.
version_of() {
    local output
    output=$("$@" 2>/dev/null) || return 0
    [[ $output =~ [Vv]ersion\ ([0-9]+(\.[0-9]+)+) ]] && echo "${BASH_REMATCH[1]}"
}

at_least() {
    [[ $1 && $(printf '%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

readonly gstreamer_needed=1.22

check_gstreamer() {
    local version
    if ! command -v gst-launch-1.0 >/dev/null; then
        fail "gst-launch-1.0 not found" "apt-get install gstreamer1.0-tools"
        return
    fi
    version=$(version_of gst-launch-1.0 --version)
    if at_least "$version" "$gstreamer_needed"; then
        fine "GStreamer $version"
    else
        fail "GStreamer ${version:-does not run}" "install GStreamer $gstreamer_needed or newer (Debian 12 or newer)"
    fi
}

# Checks that GStreamer has the elements that recordings and streams need.
check_elements() {
    local pair element package
    command -v gst-inspect-1.0 >/dev/null || return 0
    for pair in x264enc:ugly mp4mux:good matroskamux:good vp8enc:good webmmux:good pngenc:good opusenc:base; do
        element=${pair%:*} package=gstreamer1.0-plugins-${pair#*:}
        gst-inspect-1.0 "$element" >/dev/null 2>&1 \
            || fail "GStreamer has no element $element, which recordings need" "apt-get install $package"
    done
    for pair in rtmp2sink:bad srtsink:bad hlssink:bad mpegtsmux:bad h264parse:bad flvmux:good aacparse:good v4l2sink:good; do
        element=${pair%:*} package=gstreamer1.0-plugins-${pair#*:}
        gst-inspect-1.0 "$element" >/dev/null 2>&1 \
            || note "GStreamer has no element $element, which streams or virtual cameras need" "apt-get install $package"
    done
    gst-inspect-1.0 avenc_aac >/dev/null 2>&1 \
        || note "GStreamer has no element avenc_aac, which .mp4 and .mov recordings and streams with sound need" "apt-get install gstreamer1.0-libav"
}

check_sound() {
    local element
    command -v gst-inspect-1.0 >/dev/null || return 0
    for element in pipewiresink pulsesink alsasink; do
        if gst-inspect-1.0 "$element" >/dev/null 2>&1; then return; fi
    done
    note "GStreamer has no element that plays sound" "apt-get install gstreamer1.0-pulseaudio  or  apt-get install gstreamer1.0-alsa"
}

check_devices() {
    local camera cameras=()
    if [[ ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
        fine "display"
    else
        note "no display" "sink=auto shows the video in a browser, or records a file"
    fi
    for camera in /dev/video*; do
        [[ -e $camera ]] || continue
        if [[ -r $camera && -w $camera ]]; then
            cameras+=("$camera")
        else
            note "no permission for $camera" "sudo usermod -aG video \$USER, then log in again"
        fi
    done
    if ((${#cameras[@]})); then
        fine "camera: ${cameras[*]}"
        command -v v4l2-ctl >/dev/null \
            || note "v4l2-ctl not found, so $program cameras lists no controls" "apt-get install v4l-utils"
    elif [[ ! -e $camera ]]; then
        note "no camera" "use source=test or source=FILE"
    fi
}
