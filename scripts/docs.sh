# shellcheck shell=bash
# Makes the man pages and the web site from the pages in docs/. Sourced by `launch`.

: "${root:?}"

make_docs() {
    local folder=$root/.build/docs
    (($# == 0)) || die 2 "docs has no arguments: use  ./launch docs"
    ensure_packages docs
    rm -rf -- "$folder"
    "$root/scripts/pages" man "$folder/man"
    "$root/scripts/pages" site "$folder/html"
    echo "man pages: $folder/man; to read one:  man -l ${folder@Q}/man7/svblend.7"
    echo "site:      $folder/html/index.html"
}
