#!/usr/bin/env bash
# Looks for known vulnerabilities in the locked dependencies, Rust and npm.
#
# It needs the network, so it is not part of `make test`. It ends with 0 when nothing is known, with 1 when something
# is, and with 2 when a list of advisories could not be read.
set -uo pipefail
cd "$(dirname "$0")/.."

readonly CARGO_DENY=target/tools/bin/cargo-deny
result=0

say() { printf 'advisories: %s\n' "$*"; }

# worse STATUS keeps the worst result: a known vulnerability outranks a list that could not be read.
worse() {
    case "$1:$result" in
        1:*) result=1 ;;
        2:0) result=2 ;;
    esac
}

rust() {
    local manifest
    if ! "$CARGO_DENY" --log-level error fetch db; then
        say "the advisories for Rust could not be read; is the network reachable?"
        return 2
    fi
    for manifest in Cargo.toml tests/bench/Cargo.toml tests/fuzz/Cargo.toml; do
        "$CARGO_DENY" --log-level error --locked --manifest-path "$manifest" check --config deny.toml --disable-fetch advisories || return 1
    done
}

# npm prints a report with "metadata" when it could ask, whatever it found.
npm_packages() {
    local report
    report=$(npm --prefix "$1" audit --package-lock-only --json 2>/dev/null)
    local status=$?
    if ! grep -q '"metadata"' <<<"$report"; then
        say "the advisories for the npm packages of $1 could not be read; is the network reachable?"
        return 2
    fi
    [ "$status" -eq 0 ] && return 0
    npm --prefix "$1" audit --package-lock-only
    return 1
}

rust
worse $?
for folder in ui tests/peers tests/conformance; do
    npm_packages "$folder"
    worse $?
done
[ "$result" -eq 0 ] && say "nothing is known"
exit "$result"
