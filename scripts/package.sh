# shellcheck shell=bash
# Makes the Debian package. Sourced by `launch`.

: "${root:?}" "${plugin:?}"
readonly package_name=gstreamer1.0-swiftvision

# Makes the package for Debian release $1 in a separate root. Without an argument, makes the package for this machine's release.
make_package() {
    local release=${1:-}
    (($# <= 1)) || die 2 "too many arguments for package: use one release, such as bookworm or trixie"
    if [[ $release ]]; then
        local made part theirs=$root/.build/roots/$release.build
        # The root gets the files that Swift's package manager has already downloaded for this system.
        mkdir -p -- "$theirs"
        for part in checkouts repositories workspace-state.json; do
            [[ ! -e $root/.build/$part || -e $theirs/$part ]] || cp -R -- "$root/.build/$part" "$theirs/"
        done
        # In the root, .build is a separate folder, and the repository always has the same path. So the package does not depend on
        # the location of the repository.
        made=$(cd -- "$root" && scripts/in-release "$release" ./launch package) || exit
        mkdir -p -- "$root/.build/packages"
        cp -- "$root/.build/roots/$release.build/packages/${made##*/}" "$root/.build/packages/"
        echo "$root/.build/packages/${made##*/}"
        return
    fi
    ensure_packages build docs package
    ensure_swift
    is_plugin_fresh || build_plugin
    build_package
}

# Prints the time of the last commit, in seconds since 1970. Builds use this time as the current time, so that the same sources give
# the same package.
source_date() {
    [[ ! ${SOURCE_DATE_EPOCH:-} ]] || { echo "$SOURCE_DATE_EPOCH" && return; }
    git -c "safe.directory=$root" -C "$root" log -1 --format=%ct 2>/dev/null || date -u -d "$(release_date)" +%s
}

release_date() { sed -n 's/^let releaseDate\b.*"\(.*\)"$/\1/p' "$root/Sources/SwiftVisionPlugin/Version.swift"; }

# Debian's tools make the package in a folder that contains only the control files. `rules` runs `stage`, which adds the other
# files.
build_package() {
    local folder=$root/.build/package packages=$root/.build/packages number version log file
    number=$(sed -n 's/^VERSION_ID="\(.*\)"$/\1/p' /etc/os-release)
    [[ $number ]] || die 2 "this machine does not run a stable release of Debian: use  ./launch package bookworm"
    version=$(version)~deb$number
    SOURCE_DATE_EPOCH=$(source_date)
    export SOURCE_DATE_EPOCH SWIFTVISION_ROOT=$root LC_ALL=C.UTF-8 TZ=UTC
    rm -rf -- "$folder"
    mkdir -p -- "$folder/source" "$packages"
    cp -R -- "$root/packaging/debian" "$folder/source/debian"
    printf '%s (%s) %s; urgency=medium\n\n  * Release %s. Changes: html/changelog.html.\n\n -- %s  %s\n' \
        "$package_name" "$version" "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$(version)" \
        "$(sed -n 's/^Maintainer: //p' "$root/packaging/debian/control")" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" \
        >"$folder/source/debian/changelog"
    say "making the package"
    log=$folder/log
    if ! (cd -- "$folder/source" && dpkg-buildpackage --no-sign --build=binary --no-check-builddeps) >"$log" 2>&1; then
        cat -- "$log" >&2
        die 1 "making the package failed"
    fi
    lintian --fail-on error,warning --tag-display-limit 0 --allow-root "$folder"/*.changes >&2 \
        || die 1 "lintian found the errors above in the package"
    file=$(cd -- "$folder" && echo ./*.deb)
    mv -f -- "$folder/$file" "$packages/"
    echo "$packages/${file#./}"
}
