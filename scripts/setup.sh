#!/usr/bin/env bash
# Brings a computer with Rust, Node and make to the point where this project builds.
#
#   scripts/setup.sh         what building and running needs
#   scripts/setup.sh tests   that, and what the tests need: a display to draw on, WebDriver, real MCP servers
#
# It installs only what is missing, says what and why before it does, and is quick when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly RUST_MINIMUM=1.95.0
readonly NODE_MINIMUM=20.19.0
readonly CARGO_DENY=0.20.2
readonly CARGO_MACHETE=0.9.2

# A C compiler for the bundled SQLite; WebKitGTK draws the windows, which listen on the session bus.
readonly BUILD_PACKAGES=(build-essential pkg-config libdbus-1-dev libwebkit2gtk-4.1-dev)
# An X server with a window manager to draw on, WebDriver to press the buttons, a session bus with a keyring,
# pictures and keys for the reports, a record of system calls for the test of power loss, a virtual environment for the
# servers written in Python, a clipboard, a dictionary, and a Wayland compositor with a keyboard and a clipboard.
readonly TEST_PACKAGES=(webkit2gtk-driver xvfb xauth openbox dbus dbus-x11 gnome-keyring imagemagick xdotool wmctrl strace python3-venv git xclip hunspell-en-us sway wl-clipboard wtype)

main() {
    case "${1:-}" in
        "") packages "building Vestibule" "${BUILD_PACKAGES[@]}" ;;
        tests)
            packages "building and testing Vestibule" "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
            browser
            ;;
        *) stop "unknown argument \"$1\"; use no argument or \"tests\"" ;;
    esac
    rust
    node_and_npm
    npm_install ui "the user interface's packages"
    if [ "${1:-}" = tests ]; then
        rust_components
        # The downloads wait for the network, and the tools for the processor.
        downloads &
        local downloading=$!
        trap 'kill "$downloading" 2>/dev/null || true' EXIT
        cargo_tool cargo-deny "$CARGO_DENY" "the check of dependencies and licences"
        cargo_tool cargo-machete "$CARGO_MACHETE" "the check for dependencies that nothing uses"
        wait "$downloading" || stop "what the tests talk to could not be installed; the message above says why"
        trap - EXIT
    fi
}

downloads() {
    peers
    suite
}

say() { printf 'setup: %s\n' "$*"; }

stop() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# at_least 1.95.0 1.96.1 succeeds: the second version is no older than the first.
at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

packages() {
    local purpose=$1 missing=() package
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        [ -n "${VESTIBULE_SKIP_PACKAGES:-}" ] && return
        stop "only Debian and Ubuntu packages can be installed from here. Install what corresponds to:
  $*
then run this again with VESTIBULE_SKIP_PACKAGES=1."
    fi
    for package in "$@"; do
        [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    local root=(env)
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop "for $purpose, please install as root: apt-get install ${missing[*]}"
        root=(sudo env)
        say "for $purpose, installing with sudo (it may ask for your password): ${missing[*]}"
    else
        say "for $purpose, installing: ${missing[*]}"
    fi
    local apt=("${root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    "${apt[@]}" update || say "the package lists could not be refreshed; trying with the ones already here"
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
        stop "apt-get could not install ${missing[*]}; its message above says why"
}

# The fast tests of the user interface run in Chromium. Ubuntu has it only as a snap, which is not ours to install.
# The desktop tests sign in with a browser that has windows. The tests of the user interface prefer the one without, which
# Debian has as a package and which takes half the processor time.
browser() {
    local name
    if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
        packages "the tests of the user interface" chromium-headless-shell
    fi
    for name in chromium chromium-browser google-chrome; do command -v "$name" >/dev/null && return; done
    if grep -qs '^ID=ubuntu$' /etc/os-release; then
        stop "the tests of the user interface need Chromium; \"sudo snap install chromium\" brings it"
    fi
    packages "the tests of the user interface" chromium
}

rust() {
    command -v rustc >/dev/null && command -v cargo >/dev/null ||
        stop "Rust $RUST_MINIMUM or newer is needed and none was found; https://rustup.rs says how to get it"
    local found
    found=$(rustc --version | cut -d ' ' -f 2)
    at_least "$RUST_MINIMUM" "${found%%-*}" ||
        stop "Rust $RUST_MINIMUM or newer is needed and this is $found; \"rustup update stable\" brings a newer one"
}

rust_components() {
    cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 ||
        stop "the checks need rustfmt and clippy; \"rustup component add rustfmt clippy\" brings them"
}

node_and_npm() {
    command -v node >/dev/null && command -v npm >/dev/null ||
        stop "Node $NODE_MINIMUM or newer with npm is needed and was not found; https://nodejs.org has it"
    local found
    found=$(node --version)
    at_least "$NODE_MINIMUM" "${found#v}" || stop "Node $NODE_MINIMUM or newer is needed and this is ${found#v}"
}

# Installs a folder's locked npm packages; the lock file that was installed is kept beside them as the stamp. Not
# "npm ci": it refuses a lock without the packages of every other platform, which npm leaves out of the lock where a
# registry does not carry them. This takes the same locked versions and leaves the lock as it is.
npm_install() {
    local folder=$1 what=$2 stamp=$1/node_modules/.installed-lock.json
    cmp --silent "$folder/package-lock.json" "$stamp" && return
    say "installing $what"
    npm --prefix "$folder" install --no-save --no-audit --no-fund --loglevel=error
    cp --remove-destination "$folder/package-lock.json" "$stamp"
}

cargo_tool() {
    local tool=$1 version=$2 what=$3
    [ -x "target/tools/bin/$tool" ] && grep -qsF "\"$tool $version " target/tools/.crates.toml && return
    say "building $tool $version, $what (about a minute, once)"
    # Built beside the project's own output, so that neither disturbs the other. Not optimized: each runs for seconds,
    # and optimizing them takes minutes.
    CARGO_PROFILE_DEV_DEBUG=false cargo install "$tool" --version "$version" --locked --root target/tools --quiet --debug
}

# The official conformance suite, pinned with everything it brings, and the newer Node it needs.
suite() {
    mkdir -p target/tools/conformance
    cp tests/conformance/package.json tests/conformance/package-lock.json tests/conformance/.npmrc target/tools/conformance/
    npm_install target/tools/conformance "the official conformance suite"
}

# The real MCP servers the tests talk to, the SDKs of those written for them, and what stands for models: SDKs of vendors,
# a mock of their interfaces, llama.cpp's server. All are pinned with everything they bring. Playwright's server is told
# to bring no browser: it uses the one that is installed.
peers() {
    mkdir -p target/peers/npm
    cp --remove-destination tests/peers/package.json tests/peers/package-lock.json tests/peers/.npmrc target/peers/npm/
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm_install target/peers/npm "the peers from npm that the tests talk to"

    python_peers py requirements.txt
    python_peers py1 requirements-legacy.txt
    python_peers models requirements-models.txt
}

# A virtual environment with locked packages; the list that was installed is kept inside as the stamp.
python_peers() {
    local folder=target/peers/$1 list=tests/peers/$2 stamp=target/peers/$1/installed-requirements.txt
    cmp --silent "$list" "$stamp" && return
    say "installing the peers from PyPI that the tests talk to ($2)"
    python3 -m venv --clear "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-input -r "$list"
    cp "$list" "$stamp"
}

main "$@"
