# shellcheck shell=bash
# Tests and fuzzing. Sourced by `launch`.

: "${root:?}"

# Patterns of test names, by part. The parts take about the same time. The part `rest` contains all other tests. There are more parts than
# processors, because some tests wait for other programs.
declare -rA test_parts=(
    [launch]='^(PipelineTests\.(Launch|Model|Secret|Runner|Choice)|VisionTests\.(?!Blobs|Face))'
    [programs]='^(PipelineTests\.(?!Launch|Model|Secret|Runner|Choice|Recipe|Example|Conversion)|FuzzTests\.|ImagingTests\.|ElementsTests\.(Blob|Thing))'
    [pages]='^(PipelineTests\.(Recipe|Example|Conversion)|BrowserTests\.|PublishingTests\.|ElementKitTests\.)'
    [faces]='^(ElementsTests\.(Face|Privacy)|VisionTests\.Face)'
)

# Sets `options` for `swift build`, and `rest` to the other arguments.
read_sanitizer() {
    sanitizer='' options=() rest=()
    while (($#)); do
        case $1 in
            --sanitize=*) sanitizer=${1#*=} ;;
            --sanitize)
                sanitizer=${2:?--sanitize needs a name}
                shift
                ;;
            *) rest+=("$1") ;;
        esac
        shift
    done
    if [[ $sanitizer ]]; then
        options=("--sanitize=$sanitizer" --scratch-path "$root/.build/$sanitizer")
        suppress TSAN_OPTIONS tsan.txt
        suppress LSAN_OPTIONS lsan.txt
    fi
}

run_tests() {
    local sanitizer options rest
    read_sanitizer "$@"
    # .ci/run sets SWIFTVISION_BROWSER. Without this variable, the browser tests run only if Chromium is installed.
    ensure_packages build run test ${SWIFTVISION_BROWSER:+browser}
    ensure_swift
    build_plugin
    use_plugin
    export SWIFTVISION_MODELS=no # tests download nothing
    export XDG_STATE_HOME=$root/.build/state # tests leave no files in the user's folders
    build "the tests" --build-tests "${options[@]}"
    cd "$root"
    case ${rest[*]} in
        '') run_all_tests ;;
        --build-only) ;;
        *) exec swift test --package-path "$root" "${options[@]}" "${rest[@]}" ;;
    esac
}

# Runs the parts in parallel. Within a part, tests run one after another, so that tests do not slow each other down, and a measured
# time belongs to one test.
run_all_tests() {
    local results=$root/.build/tests programs others part status=0
    local -A running=()
    rm -rf -- "$results"
    mkdir -p -- "$results"
    programs=$(swift build --package-path "$root" "${options[@]}" --show-bin-path)
    others=$(IFS='|' && printf '%s' "${test_parts[*]}")
    for part in "${!test_parts[@]}"; do
        run_test_part "$part" --filter "${test_parts[$part]}" &
        running[$part]=$!
    done
    run_test_part rest --skip "$others" &
    running[rest]=$!
    for part in "${!running[@]}"; do wait "${running[$part]}" || status=1; done
    "$root/scripts/test-results" "$results"/*.jsonl || status=1
    return "$status"
}

run_test_part() {
    "$programs/swiftvisionPackageTests.xctest" --testing-library swift-testing --no-parallel "${@:2}" \
        --event-stream-output-path "$results/$1.jsonl" --event-stream-version 0 </dev/null >"$results/$1.txt" 2>&1
}

run_fuzzer() {
    local sanitizer options rest programs
    read_sanitizer "$@"
    if [[ $sanitizer ]]; then
        rest+=(--limit=20)
        # Without leak detection, because libraries keep memory that they allocate once.
        export ASAN_OPTIONS=detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
    else
        options=(-c release)
    fi
    ensure_packages build run
    ensure_swift
    build "the fuzzer" --product fuzzer "${options[@]}"
    use_plugin
    programs=$(swift build --package-path "$root" "${options[@]}" --show-bin-path)
    cd "$root"
    exec "$programs/fuzzer" "${rest[@]}"
}

# Sets the suppression file $2 in the variable $1 of a sanitizer, if the file exists.
suppress() {
    local -n variable=$1
    local list=$root/Tests/suppressions/$2
    if [[ -e $list ]]; then export "$1=suppressions=$list${variable:+:$variable}"; fi
}
