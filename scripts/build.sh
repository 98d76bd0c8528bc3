# shellcheck shell=bash
# Builds what is older than its sources. Sourced by `launch`.

: "${root:?}"
readonly plugin="$root/.build/release/libgstswiftvision.so" runner="$root/.build/release/swiftvision-run"
# As old as the sources that the plugin was built from last: not every source that is touched changes the plugin.
readonly built_stamp="$root/.build/plugin-built"

# Has what a pipeline needs installed, and the plugin and its runner built. Who only runs a plugin that is there needs no compiler, and
# no right to write here.
ensure_plugin() {
    if is_plugin_fresh; then
        ensure_packages run
        return
    fi
    check_build_folder
    ensure_packages build run
    ensure_swift
    build_plugin
}

# Whether the plugin is no older than all that goes into it (folders, too: a file may be gone), and finds its libraries.
is_plugin_fresh() {
    local built
    [[ -f $plugin && -x $runner ]] || return 1
    for built in "$plugin" "$built_stamp"; do
        if [[ -e $built && ! $(find "$root/Package.swift" "$root/Sources" -newer "$built" -print -quit) ]]; then
            [[ $(ldd "$plugin" 2>/dev/null) != *'not found'* ]]
            return
        fi
    done
    return 1
}

# Says what stands in the way before the compiler does: its own words for it help nobody.
check_build_folder() {
    local why="the plugin is not built yet" folder
    [[ ! -e $plugin ]] || why="the plugin is older than its sources"
    for folder in "$root/.build" "$root/.build/release/."; do
        if [[ -e $folder ]]; then
            [[ -w $folder ]] || cannot_write "$why" "${folder%/.}"
        elif [[ $folder == "$root/.build" && ! -w $root ]]; then
            cannot_write "$why" "$root"
        fi
    done
}

cannot_write() {
    local owner
    owner=$(stat -c %U -- "$2")
    die 2 "$1, and the user $(id -un 2>/dev/null || id -u) may not write to $2: ask $owner to build the plugin with ./launch blend, or copy the repository"
}

# Builds; a line says what, the compiler's output follows when it fails.
build() {
    local what=$1 log line
    shift
    [[ ! -d $root/Sources/CPage ]] || "$root/scripts/page-files" || exit 1
    say "building $what"
    log=$(mktemp)
    if ! swift build --package-path "$root" "$@" 2>&1 | while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        [[ $line != *'nother instance of SwiftPM'* ]] || say "waiting for another build in $root"
    done; then
        explain_failure "$what" "$log"
    fi
    rm -f "$log"
}

# Ends with the reason of a failed build: in a line where it is not the compiler's, else with its output.
explain_failure() {
    local what=$1 log=$2 reason='' lock
    if grep -qi 'no space left on device' "$log"; then
        reason="the disk is full: the build needs about 1 GB in $root/.build, but only $(free_space "$root") are free"
    elif lock=$(grep -m 1 -oE '[^ :]*build\.lock' "$log"); then
        reason="$lock belongs to another user: ask that user to remove the file, or copy the repository"
    elif grep -qiE 'permission denied|read-only file system|attempt to write a readonly database' "$log"; then
        reason="the user $(id -un 2>/dev/null || id -u) may not write to all of $root/.build: change the owner of .build, or copy the repository"
    fi
    [[ $reason ]] || cat "$log" >&2
    rm -f "$log"
    die 1 "building $what failed${reason:+: $reason}"
}

free_space() { df -h --output=avail -- "$1" | sed -n '2s/ //gp'; }

build_plugin() {
    local begin
    check_build_folder
    begin=$(mktemp)
    build "the plugin" -c release --product gstswiftvision
    build "swiftvision-run" -c release --product swiftvision-run
    cp -p -- "$begin" "$built_stamp"
    rm -f "$begin"
}

# Shows the built plugin to every GStreamer program started from here, with a registry of its own; who may not write it
# here has it with what programs keep for this user.
use_plugin() {
    local registry=$root/.build/gstreamer-registry.bin cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    # It is replaced, not written to.
    [[ -w $root/.build || ! $cache ]] || registry=$cache/swiftvision/gstreamer-registry.bin
    export GST_PLUGIN_PATH=$root/.build/release${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
    export GST_REGISTRY=$registry
}

