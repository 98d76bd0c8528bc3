# shellcheck shell=bash
# Builds the plugin and its runner if they are older than their sources. Sourced by `launch`.

: "${root:?}"
readonly plugin="$root/.build/release/libgstswiftvision.so" runner="$root/.build/release/swiftvision-run"
# The time of this file is the start of the last build. The plugin can be older, because a build does not write an unchanged plugin.
readonly built_stamp="$root/.build/plugin-built"

# Installs the packages that a pipeline needs, and builds the plugin and its runner. If the plugin is up to date, the user needs no
# compiler and no write permission for the repository.
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

# Succeeds if no source file or folder is newer than the plugin, and the plugin finds its libraries. (Folders change when files are
# deleted.)
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

# Ends with an explanation if the build folder is not writable. The compiler's own message does not help the user.
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

# Builds $1 with the other arguments of swift build. Prints one line and, if the build fails, the compiler's output.
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

# Ends with the reason of a failed build: one line for a problem with the disk or permissions, otherwise the compiler's output.
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

# Makes the built plugin available to all GStreamer programs that this script starts, with a separate registry. If .build is not
# writable, the registry is in the user's cache folder.
use_plugin() {
    local registry=$root/.build/gstreamer-registry.bin cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    # GStreamer replaces the registry file, so the folder must be writable, not the file.
    [[ -w $root/.build || ! $cache ]] || registry=$cache/swiftvision/gstreamer-registry.bin
    export GST_PLUGIN_PATH=$root/.build/release${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}
    export GST_REGISTRY=$registry
}

