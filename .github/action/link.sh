#!/usr/bin/env bash
# Links to the uploaded pages: in the comment after its first paragraph, where no cut table or code block can swallow the
# line, and in the summary of the job.
#
#   ASSAY_SITE_URL   where the pages were uploaded to
#   ASSAY_OUTPUT     the folder of the results
set -euo pipefail

comment="${ASSAY_OUTPUT:-assay-results}/comment.md"
line="[All pages of this run]($ASSAY_SITE_URL): download, unpack and open \`index.html\`. Review there saves labels for \`assay label --import\`."
if [ -s "$comment" ]; then
  LINE="$line" awk '
    !linked && NR > 1 && $0 == "" { print ""; print ENVIRON["LINE"]; linked = 1 }
    { print }
    END { if (!linked) { print ""; print ENVIRON["LINE"] } }
  ' "$comment" >"$comment.linked"
  mv "$comment.linked" "$comment"
fi
printf '\n%s\n' "$line" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
