#!/usr/bin/env bash
# Runs tests that depend on the order of things many times beside a busy process, on one processor and on two, and
# names every test that failed. FLOODS (200) is how often the story of a flood runs, TIMES (20) how often all stories
# and all hostile tests run; each on one and on two processors.
set -euo pipefail
cd "$(dirname "$0")/.."

floods=${FLOODS:-200}
times=${TIMES:-20}
flood=floods::five_hundred_forms_at_once_are_one_card_and_each_is_answered
# Seconds; longer than one run takes on one busy processor.
longest=1200

cargo test --workspace --features custom-protocol --locked --no-run --test stories --test hostile
reports=$(mktemp -d)
busy=
trap '[ -z "$busy" ] || kill "$busy"' EXIT

# The test program of this name, of the package in tests/; the programs that it needs are built with it.
built() {
  cargo test --workspace --features custom-protocol --locked --no-run --test "$1" --message-format json 2>/dev/null |
    grep -F "\"manifest_path\":\"$PWD/tests/Cargo.toml\"" | grep -F "\"kind\":[\"test\"]" | grep -F "\"name\":\"$1\"" |
    grep -o '"executable":"[^"]*"' | cut -d '"' -f 4 | tail -n 1
}
stories=$(built stories)
hostile=$(built hostile)

failed=0

# Runs a program so often on these processors, and says of each run that failed which tests did.
again() {
  local processors=$1 count=$2 program=$3 number
  shift 3
  for ((number = 1; number <= count; number += 1)); do
    if ! (cd tests && CARGO_MANIFEST_DIR=$PWD timeout --kill-after=20 "$longest" taskset -c "$processors" "$program" "$@") \
      >"$reports/last" 2>&1; then
      failed=$((failed + 1))
      mv "$reports/last" "$reports/$failed"
      printf 'run %s of %s on processors %s failed; see %s\n' "$number" "$(basename "$program")" "$processors" "$reports/$failed"
      # A test that never ended has no result, but was named while it ran.
      grep -E '^test .* (FAILED|has been running)' "$reports/$failed" || tail -n 3 "$reports/$failed"
    fi
  done
}

for processors in 0 0,1; do
  printf '== on processors %s, beside a busy process\n' "$processors"
  taskset -c "$processors" bash -c 'while :; do :; done' &
  busy=$!
  again "$processors" "$floods" "$stories" --exact "$flood"
  again "$processors" "$times" "$stories"
  again "$processors" "$times" "$hostile"
  kill "$busy"
  wait "$busy" 2>/dev/null || true
  busy=
done

printf '== %s runs failed; tests that did, by name\n' "$failed"
grep -hE '^test .* FAILED' -r "$reports" | sort | uniq -c || true
[ "$failed" = 0 ] && rm -r "$reports"
