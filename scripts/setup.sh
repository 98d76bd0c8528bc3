# shellcheck shell=bash
# The requirements of the project: Debian packages and Swift. Sourced by `launch`.

: "${root:?}" "${plugin=}"
readonly swift_needed=6.3

# MARK: Packages

# Prints the packages of the given purposes, one per line.
packages_for() {
    local purpose package _
    while read -r purpose package _; do
        [[ " $* " != *" $purpose "* ]] || echo "$package"
    done <"$root/scripts/packages.txt"
}

# Prints the given packages that are not installed and that no installed package provides.
missing_packages() {
    local installed package
    # shellcheck disable=SC2016  # dpkg-query expands these
    installed=" $(dpkg-query -W -f='${db:Status-Status}\t${Package}, ${Provides}\n' \
        | sed -n 's/^installed\t//p' | sed 's/([^)]*)//g' | tr ',\n' '  ') "
    for package; do
        [[ $installed == *" $package "* ]] || echo "$package"
    done
}

has_apt() {
    command -v apt-get >/dev/null && command -v dpkg-query >/dev/null
}

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Installs the missing packages for the given purposes. Prints a line only if packages are missing.
ensure_packages() {
    local wanted missing
    mapfile -t wanted < <(packages_for "$@")
    if ! has_apt; then
        if has_libraries; then return; fi
        say "this system has no apt, so ./launch cannot install packages. Install these packages (the names are those of Debian):"
        printf '  %s\n' "${wanted[@]}" >&2
        exit 2
    fi
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    ((${#missing[@]})) || return 0
    say "installing ${missing[*]}"
    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
        die 1 "no sudo, so ./launch cannot install packages: run as root  apt-get install --no-install-recommends ${missing[*]}"
    fi
    install_packages "${missing[@]}"
}

install_packages() {
    local log get=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300)
    log=$(mktemp)
    # The first attempt uses the existing package index. If the index is missing or too old, the second attempt downloads it.
    if ! as_root "${get[@]}" install --no-install-recommends "$@" >"$log" 2>&1; then
        if ! { as_root "${get[@]}" update && as_root "${get[@]}" install --no-install-recommends "$@"; } >"$log" 2>&1; then
            cat "$log" >&2
            rm -f "$log"
            die 1 "apt-get failed to install: $*"
        fi
    fi
    rm -f "$log"
}

# Succeeds if a system without apt has the libraries that the project needs.
has_libraries() {
    command -v gst-launch-1.0 >/dev/null && command -v pkg-config >/dev/null \
        && pkg-config --exists gstreamer-video-1.0 opencv4 pangocairo
}

# MARK: Swift

# Adds the folder of Swift to PATH, unless PATH already contains it. Fails if Swift is not installed.
find_swift() {
    local folder
    if command -v swift >/dev/null; then return; fi
    for folder in /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/libexec/swift/bin /usr/share/swift/usr/bin \
        "${SWIFTLY_BIN_DIR:-${HOME:-}/.local/share/swiftly/bin}" "${HOME:-}/.swiftly/bin"; do
        if [[ -x $folder/swift ]]; then
            PATH=$folder:$PATH
            return
        fi
    done
    return 1
}

readonly swift_hint="install Swift $swift_needed from https://www.swift.org/install/linux (swiftly install $swift_needed)"

ensure_swift() {
    local version
    find_swift || die 1 "Swift not found: $swift_hint"
    version=$(version_of swift --version)
    at_least "$version" "$swift_needed" || die 1 "Swift ${version:-does not run}: version $swift_needed or newer is necessary: $swift_hint"
}

# MARK: Doctor

# Checks the requirements for the command doctor.
check_installation() {
    check_packages
    check_versions
    check_plugin
}

check_packages() {
    local purpose wanted missing
    if ! has_apt; then
        if has_libraries; then
            note "no apt on this system, but GStreamer, OpenCV and Pango are installed" "for all packages, see scripts/packages.txt"
        else
            fail "no apt on this system, and headers of GStreamer, OpenCV or Pango are missing" "install the packages in scripts/packages.txt"
        fi
        return
    fi
    for purpose in build run test bench models; do
        mapfile -t wanted < <(packages_for "$purpose")
        mapfile -t missing < <(missing_packages "${wanted[@]}")
        if ((${#missing[@]} == 0)); then
            fine "packages for $purpose"
        elif [[ $purpose == test || $purpose == bench ]]; then
            note "missing packages for $purpose: ${missing[*]}" "./launch $purpose installs these packages"
        elif [[ $purpose == models ]]; then
            note "missing packages for $purpose: ${missing[*]}" "./launch models get NAME installs these packages"
        else
            fail "missing packages for $purpose: ${missing[*]}" "./launch blend installs these packages; or run  apt-get install ${missing[*]}"
        fi
    done
    if ((EUID != 0)) && ! command -v sudo >/dev/null; then
        note "no sudo" "to install missing packages, run ./launch as root"
    fi
}

check_versions() {
    local version
    if ! find_swift; then
        fail "Swift not found" "$swift_hint"
    else
        version=$(version_of swift --version)
        if [[ ! $version ]]; then
            fail "Swift does not run" "to see the reason:  swift --version"
        elif at_least "$version" "$swift_needed"; then
            fine "Swift $version"
        else
            fail "Swift $version is older than $swift_needed" "$swift_hint"
        fi
    fi
    check_gstreamer
}

check_plugin() {
    local element
    if [[ (-e $root/.build && ! -w $root/.build) || (! -e $root/.build && ! -w $root) ]]; then
        if is_plugin_fresh; then
            note "$root is not writable" "pipelines use the plugin that is already in $root/.build"
        else
            fail "$root is not writable, so ./launch cannot build the plugin" "change the owner of $root/.build, or copy the repository"
        fi
    fi
    [[ -w . ]] || note "the current folder is not writable" "to record, use a path in another folder (sink=FILE)"
    command -v gst-inspect-1.0 >/dev/null || return 0
    use_plugin
    if [[ ! -e $plugin ]]; then
        note "the plugin is not built yet" "./launch blend builds the plugin"
        unset GST_REGISTRY # .build may not exist
    else
        for element in svblend svmixer; do
            if gst-inspect-1.0 "$element" >/dev/null 2>&1; then
                fine "plugin: $element"
            else
                fail "the plugin has no element $element" "to build the plugin again: ./launch blend. To see the reason:  GST_DEBUG=3 gst-inspect-1.0 $plugin"
            fi
        done
    fi
}
