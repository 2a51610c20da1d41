#!/usr/bin/env bash
# Runs suites, compares the run with the baseline that is stored on the base branch, and writes what people
# and machines read. What the action does, without GitHub: settings come from the environment, so it runs
# anywhere. Lists are one entry per line, so that names may hold anything but a line's end.
#
#   ASSAY            the program: a path to assay.js
#   ASSAY_SUITES     suites to run
#   ASSAY_MODELS     who answers
#   ASSAY_ARGUMENTS  further arguments of `assay run`
#   ASSAY_BASELINE   the stored baseline, in the repository
#   ASSAY_COMPARE    further arguments of `assay compare`
#   ASSAY_OUTPUT     a folder for the results
#
# Exits as `assay compare` does: 1 where the gate does not hold; or as `assay run` where that fails.
set -uo pipefail

output="${ASSAY_OUTPUT:-assay-results}"
baseline="${ASSAY_BASELINE:-assay-baseline.json}"
summary="${GITHUB_STEP_SUMMARY:-/dev/null}"
mkdir -p "$output"

lines() { # $1: a list, one entry per line; into the array `entries`
  entries=()
  while IFS= read -r line; do
    [ -n "$line" ] && entries+=("$line")
  done <<<"$1"
}

lines "${ASSAY_SUITES:-}"; suites=("${entries[@]}")
lines "${ASSAY_MODELS:-}"; models=()
for model in "${entries[@]}"; do models+=(--model "$model"); done
lines "${ASSAY_ARGUMENTS:-}"; arguments=("${entries[@]}")
lines "${ASSAY_COMPARE:-}"; comparing=("${entries[@]}")

node "$ASSAY" run "${suites[@]}" "${models[@]}" --output "$output/run" \
  --report "$output/report.md" --report "$output/report.html" --report "$output/report.json" \
  --report "$output/junit.xml" --report "$output/assay.sarif" "${arguments[@]}"
ran=$?
if [ $ran -ne 0 ]; then
  [ -f "$output/report.md" ] && cp "$output/report.md" "$output/comment.md" && cat "$output/comment.md" >>"$summary"
  exit $ran
fi

# The base branch's baseline, so that a pull request cannot bring its own.
stored="$output/baseline.json"
rm -f "$stored"
if [ -n "${GITHUB_BASE_REF:-}" ]; then
  git fetch --quiet --depth=1 origin "$GITHUB_BASE_REF" &&
    git show "FETCH_HEAD:$baseline" >"$stored" 2>/dev/null || rm -f "$stored"
elif [ -f "$baseline" ]; then
  cp "$baseline" "$stored"
fi

gate=0
if [ -f "$stored" ]; then
  node "$ASSAY" compare --baseline "$stored" --current "$output/run" --gate statistical \
    --format markdown "${comparing[@]}" >"$output/compare.md"
  gate=$?
  cat "$output/compare.md" >"$output/comment.md"
  printf '\n' >>"$output/comment.md"
else
  printf 'There is no baseline at `%s` on the base branch yet. Store one with `assay bless`.\n\n' \
    "$baseline" >"$output/comment.md"
fi
cat "$output/report.md" >>"$output/comment.md"
cat "$output/comment.md" >>"$summary"
exit $gate
