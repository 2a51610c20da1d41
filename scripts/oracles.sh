#!/usr/bin/env bash
# Writes every golden file again with its independent oracle. Needs python3 with scipy, statsmodels and
# mpmath, and R: on Debian r-base-core python3-scipy python3-statsmodels python3-sklearn python3-mpmath.
set -euo pipefail
cd "$(dirname "$0")/../packages/metrics/oracle"
python=${PYTHON:-/usr/bin/python3}
export PYTHONPATH=$PWD
for script in *.py */*.py; do
  [ "$script" = golden.py ] || "$python" "$script"
done
for script in *.R; do
  Rscript "$script"
done
