#!/usr/bin/env bash
# Feeds what other parties send us to the code that reads it, for FUZZ_SECONDS (600 unless said) a target, and keeps what
# taught it something new in tests/fuzz/corpus. Names of targets may be given; without, all of them run, one after another.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.13.2
tools=$PWD/target/tools
seconds=${FUZZ_SECONDS:-600}

if [ "$("$tools/bin/cargo-fuzz" --version 2>/dev/null || true)" != "cargo-fuzz $version" ]; then
  echo "installing cargo-fuzz $version into target/tools"
  cargo install --quiet --locked --root "$tools" "cargo-fuzz@$version"
fi
export CARGO_TARGET_DIR=$PWD/target/fuzz

fuzz() {
  # No sanitizer: none of our code is unsafe, and the compiler of this project is a stable one.
  "$tools/bin/cargo-fuzz" "$1" --fuzz-dir tests/fuzz --sanitizer none --release "${@:2}"
}

targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$tools/bin/cargo-fuzz" list --fuzz-dir tests/fuzz)
fuzz build
for target in "${targets[@]}"; do
  printf '\n== %s, %s seconds\n' "$target" "$seconds"
  learned=$CARGO_TARGET_DIR/learned/$target
  mkdir -p "$learned"
  fuzz run "$target" "$learned" "tests/fuzz/corpus/$target" -- \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 -verbosity=0
  # Of what reaches the same code, the smallest is kept.
  kept=$CARGO_TARGET_DIR/kept/$target
  rm -rf "$kept" && mkdir -p "$kept"
  fuzz run "$target" "$kept" "$learned" "tests/fuzz/corpus/$target" -- -set_cover_merge=1 -use_counters=0 -verbosity=0
  find "tests/fuzz/corpus/$target" -type f -delete && cp "$kept"/* "tests/fuzz/corpus/$target"
done
