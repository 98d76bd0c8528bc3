# shellcheck shell=bash
# Suggestions for misspelt names, and the text of `help NAME` for an element. Sourced by `command.sh`.

: "${root:?}" "${plugin_setting=}"

# Prints the name among $2... that is nearest to $1, if the distance is at most (length of $1 + 1) / 3 typing errors. Two swapped
# letters count as one error (optimal string alignment distance).
nearest_name() {
    local wrong=$1
    shift
    printf '%s\n' "$@" | awk -v wrong="$wrong" '
        function min(a, b) { return a < b ? a : b }
        {
            n = length(wrong); m = length($0)
            for (i = 0; i <= n; i++) cost[i, 0] = i
            for (j = 0; j <= m; j++) cost[0, j] = j
            for (i = 1; i <= n; i++)
                for (j = 1; j <= m; j++) {
                    a = substr(wrong, i, 1); b = substr($0, j, 1)
                    c = min(cost[i - 1, j] + 1, min(cost[i, j - 1] + 1, cost[i - 1, j - 1] + (a != b)))
                    if (i > 1 && j > 1 && a == substr($0, j - 1, 1) && b == substr(wrong, i - 1, 1))
                        c = min(c, cost[i - 2, j - 2] + 1)
                    cost[i, j] = c
                }
            if (best == "" || cost[n, m] < least) { best = $0; least = cost[n, m] }
        }
        END { if (best != "" && 3 * least <= length(wrong) + 1) print best }'
}

# Prints "did you mean 'NAME'? " for the nearest name, or nothing.
suggestion() {
    local near
    near=$(nearest_name "$@")
    [[ ! $near ]] || printf "did you mean '%s'? " "$near"
}

pipeline_names() {
    local file
    for file in "$root"/pipelines/*.pipeline; do basename "$file" .pipeline; done
}

element_names() {
    local file
    for file in "$root"/docs/sv*.md; do basename "$file" .md; done
}

# Prints the place at which users can read page $1: a file of the repository or a man page.
page_place() {
    if [[ $plugin_setting ]]; then
        echo "docs/$1.md"
    elif [[ $1 == sv* ]]; then
        echo "man $1"
    else
        echo "man swiftvision-$1"
    fi
}

# Prints a summary of an element's page: purpose, properties, keys, and an example. The example is the first command with the
# element, because the first command of a page can also make a file for the other commands.
describe_element() {
    local place=''
    [[ ! $plugin_setting ]] || place=" (run it in the folder of the repository)"
    awk -v page="$(page_place "$1")" -v place="$place" '
        function plain(text) {
            gsub(/\[[^]]*\]\([^)]*\)/, "&\001", text)
            while (match(text, /\[[^]]*\]\([^)]*\)\001/)) {
                link = substr(text, RSTART, RLENGTH)
                inner = substr(link, 2, index(link, "](") - 2)
                text = substr(text, 1, RSTART - 1) inner substr(text, RSTART + RLENGTH)
            }
            gsub(/`|\*\*/, "", text)
            gsub(/^ +| +$/, "", text)
            return text
        }
        # Cells of a table are separated by bars, except bars after a backslash.
        function cells(line) {
            gsub(/\\\|/, "\002", line)
            count = split(line, cell, "|")
            for (i = 1; i <= count; i++) { gsub(/\002/, "|", cell[i]); cell[i] = plain(cell[i]) }
        }
        function column(name) { for (i = 2; i < count; i++) if (cell[i] == name) return i; return 0 }
        function add(first, rest) {
            gsub(/–/, "-", first)
            rows++; left[rows] = first; right[rows] = rest
            if (length(first) > width && length(first) <= 30) width = length(first)
        }
        function flush(i) {
            for (i = 1; i <= rows; i++) printf "  %-" width "s  %s\n", left[i], right[i]
            rows = 0; width = 20
        }
        NR == 1 { name = substr($0, 3); next }
        !said && /^$/ && started { said = 1 }
        !said && NF { if (!started) printf "%s: ", name; print plain($0); started = 1 }
        /^#/ { section = plain(substr($0, index($0, " "))) }
        /^```/ { if (!example && $1 == "```sh" && NF == 1) inside = 1; else inside = 0; next }
        inside && !example && index($0 " ", " " name " ") { example = $0 }
        /^\|/ {
            if (!table) {
                cells($0); table = cell[2]
                meaning = column("meaning"); what = column("what it does"); type = column("type"); initial = column("default")
                title = ""
                if (table == "property") title = section ~ /Inputs/ ? "Properties of the inputs" : "Properties"
                if (table == "action") title = "Actions"
                if (table == "key") title = "Keys in the video window"
                if (title != "" && title != last) { flush(); printf "\n%s\n", title; last = title }
                next
            }
            if ($0 ~ /^\|[-|: ]+$/) next
            cells($0)
            if (table == "property") add(cell[2] "=" cell[initial], sprintf("%-9s %s", cell[type], cell[meaning]))
            if (table == "action") add(cell[2] (cell[3] == "" ? "" : " " cell[3]), cell[what])
            if (table == "key") add(cell[2], cell[what])
            next
        }
        { table = "" }
        END {
            flush()
            if (example) printf "\nExample%s\n  %s\n", place, example
            printf "\nMore: %s, and gst-inspect-1.0 %s\n", page, name
        }' "$root/docs/$1.md"
}

# Prints the descriptions of the properties and actions with the name $1, from the elements' pages.
member_lines() {
    local element lines
    while read -r element; do
        lines=$(describe_element "$element" | name=$1 awk '
            /^[A-Z]/ { isMember = /^(Properties|Actions)/; kind = /inputs/ ? "inputs of " : "" }
            isMember && match($0, /^  [a-z-]+/) && substr($0, 3, RLENGTH - 2) == ENVIRON["name"] { print kind "\001" $0 }')
        [[ ! $lines ]] || printf '%s' "$lines" | sed "s/^\(.*\)\x01  /\1$element: /; s/   */  /g"
        [[ ! $lines ]] || printf '\nMore: %s\n' "$(page_place "$element")"
    done < <(element_names)
}

# Prints the keys in the video window for the elements of the pipeline description $1, from the elements' pages.
describe_keys() {
    local element keys
    while read -r element; do
        [[ -f $root/docs/$element.md ]] || continue
        keys=$(describe_element "$element" | sed -n '/^Keys in the video window$/,/^$/{//!p}')
        [[ ! $keys ]] || printf '\nKeys in the video window (%s)\n%s\n' "$element" "$keys"
    done < <(grep -oE '\bsv[a-z]+\b' <<<"$1" | sort -u)
}
