#!/usr/bin/env bash
# The step `check` of action.yml. Its inputs are environment variables; its outputs go to the file $GITHUB_OUTPUT.
set -uo pipefail

mkdir -p "$RESULTS"
# Separated by blanks, not expanded: a name with a star in it is no pattern.
set -f
# shellcheck disable=SC2206
models=($MODELS)
options=(--jobs "$JOBS" --timeout "$TIMEOUT" --memory "$MEMORY" --junit "$RESULTS/junit.xml" --sarif "$RESULTS/strandline.sarif"
    --reports "$RESULTS/reports")
if [ "$ALLOW_PYTHON" != true ]; then options+=(--no-python); fi
python -m strandline test "${options[@]}" -- "${models[@]}" | tee "$RESULTS/summary.txt"
code=${PIPESTATUS[0]}
{
    echo "exit-code=$code"
    echo "junit=$RESULTS/junit.xml"
    echo "sarif=$RESULTS/strandline.sarif"
} >>"$GITHUB_OUTPUT"
{
    echo '### Strandline'
    echo '```'
    cat "$RESULTS/summary.txt"
    echo '```'
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
