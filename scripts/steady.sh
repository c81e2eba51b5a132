#!/usr/bin/env bash
# Runs tests that depend on the order of things many times beside a busy process, on one processor and on two, and
# names every test that failed. FLOODS (200) is how often the story of a flood runs, TIMES (20) how often all stories
# and all hostile tests run; each on one and on two processors. PART is `one` or `two` for one of these halves.
# On one processor, two runs go side by side, each with a processor and a busy process of its own. Like `make test`, a
# run has two tests for each processor at a time.
set -euo pipefail
cd "$(dirname "$0")/.."

floods=${FLOODS:-200}
times=${TIMES:-20}
part=${PART:-all}
flood=floods::five_hundred_forms_at_once_are_one_card_and_each_is_answered
# Seconds; longer than one run takes on one busy processor.
longest=1200

cargo test --workspace --features custom-protocol --locked --no-run --test stories --test hostile
reports=$(mktemp -d)

# The test program of this name, of the package in tests/; the programs that it needs are built with it.
built() {
  cargo test --workspace --features custom-protocol --locked --no-run --test "$1" --message-format json 2>/dev/null |
    grep -F "\"manifest_path\":\"$PWD/tests/Cargo.toml\"" | grep -F "\"kind\":[\"test\"]" | grep -F "\"name\":\"$1\"" |
    grep -o '"executable":"[^"]*"' | cut -d '"' -f 4 | tail -n 1
}
stories=$(built stories)
hostile=$(built hostile)

# Runs a program so often on these processors, and says of each run that failed which tests did.
again() {
  local processors=$1 count=$2 program=$3 number output kept threads passed=0
  shift 3
  threads=$((2 * $(taskset -c "$processors" nproc)))
  output=$(mktemp "$reports/running.XXXXXX")
  for ((number = 1; number <= count; number += 1)); do
    if (
      cd tests
      CARGO_MANIFEST_DIR=$PWD RUST_TEST_THREADS=$threads \
        timeout --kill-after=20 "$longest" taskset -c "$processors" "$program" "$@"
    ) >"$output" 2>&1; then
      passed=$((passed + 1))
    else
      kept=$(mktemp "$reports/failed.XXXXXX")
      mv "$output" "$kept"
      printf 'run %s of %s on processors %s failed; see %s\n' "$number" "$(basename "$program")" "$processors" "$kept"
      # A test that never ended has no result, but was named while it ran.
      grep -E '^test .* (FAILED|has been running)' "$kept" || tail -n 3 "$kept"
    fi
  done
  rm -f "$output"
  printf '%s of %s runs of %s passed on processors %s\n' "$passed" "$count" "$(basename "$program") $*" "$processors"
}

# Runs everything so often on these processors, beside a process that never rests. Start it in the background.
beside_busy() {
  local processors=$1 loop=$BASHPID
  # It ends with this loop, however that ends.
  taskset -c "$processors" bash -c 'while kill -0 "$0"; do :; done' "$loop" 2>/dev/null &
  printf '== on processors %s, beside a busy process\n' "$processors"
  again "$processors" "$2" "$stories" --exact "$flood"
  again "$processors" "$3" "$stories"
  again "$processors" "$3" "$hostile"
}

loops=()
trap 'kill "${loops[@]}" 2>/dev/null; exit 1' INT TERM
if [ "$part" != two ]; then
  beside_busy 0 $((floods - floods / 2)) $((times - times / 2)) &
  loops+=($!)
  beside_busy 1 $((floods / 2)) $((times / 2)) &
  loops+=($!)
  wait
fi
if [ "$part" != one ]; then
  beside_busy 0,1 "$floods" "$times" &
  loops+=($!)
  wait
fi

failed=$(find "$reports" -name 'failed.*' | wc -l)
printf '== %s runs failed; tests that did, by name\n' "$failed"
grep -hE '^test .* FAILED' -r "$reports" | sort | uniq -c || true
[ "$failed" = 0 ] && rm -r "$reports"
