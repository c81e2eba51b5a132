#!/usr/bin/env bash
# Makes one mistake at a time in the crates that decide (policy, consent, app-protocol), and looks whether
# their tests notice.
# Names of files may be given (scripts/mutants.sh src-tauri/crates/policy/src/rule.rs); without, all of them are
# changed, which takes hours. What survived stands in target/mutants/<crate>/mutants.out/missed.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

version=27.1.0
tools=$PWD/target/tools

if [ "$("$tools/bin/cargo-mutants" mutants --version 2>/dev/null || true)" != "cargo-mutants $version" ]; then
  echo "installing cargo-mutants $version into target/tools"
  cargo install --quiet --locked --root "$tools" "cargo-mutants@$version"
fi

# A mutant that is not caught by some hundred random worlds is not caught by the sentences beside them either.
export VESTIBULE_CASES=400 CARGO_PROFILE_DEV_DEBUG=0
only=()
for file in "$@"; do
  only+=(--file "$file")
done

survived=0
for crate in policy consent app-protocol; do
  printf '\n== %s\n' "$crate"
  mkdir -p "target/mutants/$crate"
  # 2: some survived; 3: some were caught by the clock alone. Anything else is a failure of its own.
  "$tools/bin/cargo-mutants" mutants --package "vestibule-$crate" --timeout 20 --output "target/mutants/$crate" \
    ${only[@]+"${only[@]}"} -- --lib || case $? in 2 | 3) ;; *) exit 1 ;; esac
  survived=$((survived + $(wc -l <"target/mutants/$crate/mutants.out/missed.txt")))
done
printf '\n%s survived; docs/mutants.md says which may\n' "$survived"
