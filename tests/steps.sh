# Sourced: runs the steps of a script and prints how long each took.
#
#   step NAME COMMAND...     runs a step and fails if it did
#   require NAME COMMAND...  the same, but closes as $report and ends the script
#                            when it failed
#   close_steps NAME         prints the table and leaves it in
#                            target/reports/NAME.json; fails if any step failed
#
# A command that is a function must return its failures itself: bash ignores
# "set -e" in there.
#
# shellcheck shell=bash

step_lines=()
step_rows=()
steps_failed=0

step() {
    local name=$1 started=$SECONDS result=ok seconds
    shift
    echo "── $name"
    "$@" || result=failed
    seconds=$((SECONDS - started))
    step_lines+=("$(printf '%-12s %6s  %3d:%02d min' "$name" "$result" $((seconds / 60)) $((seconds % 60)))")
    step_rows+=("{\"name\":\"$name\",\"result\":\"$result\",\"seconds\":$seconds}")
    if [ "$result" = failed ]; then
        steps_failed=1
        return 1
    fi
}

require() {
    step "$@" || {
        close_steps "$report"
        exit 1
    }
}

close_steps() {
    local folder="${CARGO_TARGET_DIR:-target}/reports" rows
    rows=$(IFS=, && echo "${step_rows[*]}")
    mkdir -p "$folder"
    printf '{"commit":"%s","seconds":%d,"steps":[%s]}\n' \
        "$(git rev-parse --short HEAD 2>/dev/null || true)" "$SECONDS" "$rows" >"$folder/$1.json"
    echo
    printf '%s\n' "${step_lines[@]}"
    printf '%-12s %6s  %3d:%02d min\n' together "" $((SECONDS / 60)) $((SECONDS % 60))
    return "$steps_failed"
}
