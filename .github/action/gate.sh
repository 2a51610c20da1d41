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
# Exits as `assay compare` does: 1 where the gate does not hold; or as `assay run` where that fails (1 where a
# gate of the run itself failed, as with --fail-under in ASSAY_ARGUMENTS); 2 where the base branch cannot be
# read, since a gate that cannot see its baseline must not hold.
set -uo pipefail

output="${ASSAY_OUTPUT:-assay-results}"
baseline="${ASSAY_BASELINE:-assay-baseline.json}"
baseline="${baseline#./}"
summary="${GITHUB_STEP_SUMMARY:-/dev/null}"
comment="$output/comment.md"
mkdir -p "$output" || exit 2
: >"$comment" || exit 2

# A comment on GitHub ends at 65,536 characters. Bytes are counted, of which there are never fewer.
most=65000

size() { wc -c <"$1" | tr -d ' '; }

# Adds a file to the comment, or as many of its whole lines as fit: never half a character. The note
# stands before the part that is cut, where no open table or code block can swallow it.
add() { # $1: the file
  local room note
  [ -f "$1" ] || return 0
  room=$((most - $(size "$comment")))
  if [ "$(size "$1")" -le "$room" ]; then
    cat "$1" >>"$comment"
    return
  fi
  note="$(printf '> What follows is too long for a comment and is cut. All of it is in `%s` of the results.\n\n.' "$(basename "$1")")"
  note="${note%.}"
  printf '%s' "$note" >>"$comment"
  room=$((room - $(printf '%s' "$note" | wc -c)))
  [ "$room" -gt 0 ] && head -c "$room" "$1" | LC_ALL=C sed '$d' >>"$comment"
}

say() { # $1: a paragraph for the comment
  printf '%s\n\n' "$1" >>"$comment"
}

finish() { # $1: the exit code
  cat "$comment" >>"$summary"
  exit "$1"
}

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

# The base branch's baseline, so that a pull request cannot bring its own; before anything is paid for.
stored="$output/baseline.json"
rm -f "$stored"
if [ -n "${GITHUB_BASE_REF:-}" ]; then
  unreadable() {
    echo "error: $1" >&2
    say "## Assay: error"
    say "$1, so there is nothing to compare with. This is not the same as having no baseline: nothing was run."
    finish 2
  }
  git fetch --quiet --depth=1 origin "refs/heads/$GITHUB_BASE_REF" ||
    unreadable "The base branch could not be fetched"
  found="$(git ls-tree --full-tree --name-only FETCH_HEAD -- "$baseline")" ||
    unreadable "The base branch could not be read"
  if [ -n "$found" ]; then
    git show "FETCH_HEAD:$baseline" >"$stored" ||
      unreadable "The baseline on the base branch could not be read"
  fi
elif [ -f "$baseline" ]; then
  cp "$baseline" "$stored" || exit 2
fi

node -- "$ASSAY" run "${suites[@]}" "${models[@]}" --output "$output/run" \
  --report "$output/report.md" --report "$output/report.html" --report "$output/report.json" \
  --report "$output/junit.xml" --report "$output/assay.sarif" "${arguments[@]}"
ran=$?
# The pages, also of a run that failed. They are an extra: a run is not worse because they could not be written.
if [ -f "$output/run/run.json" ]; then
  node -- "$ASSAY" view "$output/run" --export "$output/site" ||
    say "The pages of this run could not be written; the log of the job says why."
fi
# Exit code 1 means that a gate of the run itself failed. The run is complete, so it is still compared.
if [ $ran -gt 1 ]; then
  say "\`assay run\` ended with exit code $ran; nothing was compared."
  add "$output/report.md"
  finish $ran
fi

gate=0
if [ -f "$stored" ]; then
  node -- "$ASSAY" compare --baseline "$stored" --current "$output/run" --gate statistical \
    --format markdown "${comparing[@]}" >"$output/compare.md"
  gate=$?
  [ -s "$output/compare.md" ] || say "\`assay compare\` ended with exit code $gate; the log of the job says why."
  add "$output/compare.md"
  printf '\n' >>"$comment"
fi
add "$output/report.md"
# After the report, because the summary of a job begins with the sentence that says what the run showed.
[ -f "$stored" ] ||
  say "There is no baseline at \`$baseline\` on the base branch yet. Store one with \`assay bless\`."
[ "$gate" -ne 0 ] && finish "$gate"
finish $ran
