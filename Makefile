# Everything a person does with this repository, by name; `make help` lists it.
#
# Cargo is called with the same packages, targets and features wherever something is tested, so that nothing is
# compiled twice and the application under test is the one with the user interface inside.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The steps of one target come one after the other, also under -j.
.NOTPARALLEL:

FEATURES := --features custom-protocol
WHOLE := --workspace --all-targets $(FEATURES) --locked
# Of the workspaces of their own, into the same folder: what they need is mostly there already.
BESIDE := CARGO_TARGET_DIR=$(or $(CARGO_TARGET_DIR),$(CURDIR)/target) cargo clippy --all-targets --locked
NPM := npm --prefix ui --silent
# For steps after ui-dist: skips the pre-scripts of package.json, whose work ui-dist has done.
BUILT_NPM := $(NPM) --ignore-scripts
# In the foreground, so that Ctrl-C reaches what is bounded.
BOUNDED = timeout --foreground --kill-after=20
BEGUN := $(shell date +%s)
# Also says how many seconds passed since make began.
STEP = @printf '\n== %s (%s s)\n' "$(1)" "$$(($$(date +%s) - $(BEGUN)))"

.PHONY: help setup run dev test notices package lint requirements advisories shape fmt bindings e2e conformance pictures soak clicks servers freezes fuzz mutants differential ledger measure bench bench-ui bench-search hostile survivors steady real-model \
        setup-tests ui-dist lint-ui lint-rust test-ui build-tests test-rust conformance-tests desktop-tests

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## install what building needs (asks for sudo only when a system package is missing)
	@scripts/setup.sh

run: setup ui-dist ## build and start Vestibule
	$(call STEP,building Vestibule; the first time takes some minutes)
	@cargo build $(FEATURES) --bins
	@target/debug/vestibule

test: setup-tests requirements lint-ui lint-rust test-ui test-rust conformance-tests desktop-tests ## every check and every test

dev: setup ## build and start Vestibule; changes of the user interface show at once, changes of Rust after a rebuild
	$(call STEP,starting the development build)
	@ui/node_modules/.bin/tauri dev

notices: setup ## write the licences of everything that is compiled into the application to target/notices
	$(call STEP,collecting licences)
	@node scripts/notices.mjs

package: notices ui-dist ## build the release and a .deb in target/release/bundle/deb
	$(call STEP,building the release)
	@ui/node_modules/.bin/tauri build --bundles deb --features custom-protocol

lint: setup-tests lint-ui lint-rust ## formatting, lints, types, licences

requirements: ## what the protocol asks of a client, and which test shows it; fails where none does
	$(call STEP,looking for a test of each requirement)
	@node scripts/requirements.mjs

advisories: setup-tests ## known vulnerabilities of the dependencies; needs the network
	$(call STEP,looking for known vulnerabilities)
	@scripts/advisories.sh

shape: ## the structure of the code in figures; FILES=20 SEED=text also draws that many files
	@node scripts/shape.mjs

fmt: setup ## format Rust and TypeScript
	@cargo fmt --all
	@$(NPM) run format

bindings: ## write the TypeScript types of the Rust side again
	@UPDATE_BINDINGS=1 cargo test --package vestibule-app-protocol --package vestibule-protocol --locked bindings

e2e: setup-tests ui-dist build-tests desktop-tests ## only the tests that press buttons in the real application

conformance: setup-tests ui-dist build-tests conformance-tests ## the official conformance suite against our client, signing in included

pictures: setup-tests ui-dist build-tests ## take the pictures of the documentation again
	@$(NPM) run build:fake
	@timeout --kill-after=10 600 node scripts/pictures.mjs

soak: setup-tests ui-dist build-tests ## fifty power cuts of the real application; takes some minutes
	$(call STEP,cutting the power fifty times)
	@$(BOUNDED) 900 node tests/soak/power-cuts.mjs

real-model: ## a chat with the instruct model that VESTIBULE_GGUF names: its call is asked about and carried out; takes minutes
	@if [ ! -f "$${VESTIBULE_GGUF:-}" ]; then node tests/desktop/real-model.mjs || exit 2; fi
	@$(MAKE) setup-tests ui-dist build-tests
	@$(BOUNDED) 2400 node tests/desktop/real-model.mjs

clicks: setup-tests ui-dist build-tests ## ten thousand clicks on the consent window while it appears, moves or is covered; CLICKS=1000 for less
	@VESTIBULE_CLICKS=$(or $(CLICKS),10000) $(BOUNDED) 5400 node --test --test-reporter=spec tests/desktop/first-click.test.mjs

servers: setup-tests ui-dist build-tests ## eight servers from npm and PyPI: fetched, called, updated, started without a registry; needs the network
	@python3 -m venv target/servers
	@target/servers/bin/pip install --quiet --disable-pip-version-check uv==0.13.9
	@UV_BIN=$(CURDIR)/target/servers/bin $(BOUNDED) 3600 node tests/desktop/servers.mjs

freezes: setup-tests ui-dist build-tests ## how long the windows stand still while a server misbehaves
	@$(BOUNDED) 300 node scripts/freezes.mjs

differential: ## a million random rules against a naive reading of them, a million random URLs; takes some minutes
	$(call STEP,a million random worlds)
	@VESTIBULE_CASES=1000000 $(BOUNDED) 3600 cargo test --release --package vestibule-policy --locked -- engine:: every_text

hostile: setup-tests ui-dist build-tests ## servers that misbehave, and canaries that must turn up in no log, request, event of others or file
	$(call STEP,playing the hostile servers)
	@$(BOUNDED) 900 cargo test --workspace $(FEATURES) --locked --no-fail-fast --test hostile --test processes
	$(call STEP,looking for canaries in the application at trace level)
	@$(BOUNDED) 300 node --test --test-reporter=spec tests/desktop/canaries.test.mjs

survivors: ui-dist build-tests ## ten thousand servers that leave a process behind, half stopped, half with their program killed; STARTS=1000 for less
	$(call STEP,starting and ending servers)
	@$(BOUNDED) 7200 target/debug/vestibule-driver survivors $(or $(STARTS),10000)

steady: ## the stories and the hostile servers again and again beside a busy process; takes hours (FLOODS=30 TIMES=2 PART=one for less)
	$(call STEP,running the same tests many times)
	@scripts/steady.sh

ledger: ## a million records of the ledger checked, in seconds; ten thousand ways to tamper with one, each found
	$(call STEP,checking a million records)
	@VESTIBULE_RECORDS=1000000 $(BOUNDED) 900 cargo test --release --package vestibule-store --locked --test million -- --nocapture
	$(call STEP,tampering ten thousand times)
	@VESTIBULE_CASES=10000 $(BOUNDED) 1800 cargo test --release --package vestibule-store --locked --test tamper

fuzz: ## ten minutes of anything at all for each reader of what others send; FUZZ_SECONDS=60 for less
	@scripts/fuzz.sh

mutants: ## one mistake at a time in the crates that decide, and whether a test notices; takes hours
	@scripts/mutants.sh $(FILES)

measure: setup-tests ui-dist ## size, start-up time and memory of the release
	$(call STEP,building the release)
	@cargo build --release $(FEATURES) --locked --bins
	$(call STEP,measuring)
	@$(BOUNDED) 300 node scripts/measure.mjs

bench: ## our client beside others: time, processor, memory; takes some minutes (ROW=seq: only rows named so)
	$(call STEP,building the drivers)
	@cargo build --release --locked --package vestibule-tests --bins
	@cargo build --release --locked --package vestibule-session-driver
	@CARGO_TARGET_DIR=$(CURDIR)/target/bench cargo build --release --locked --manifest-path tests/bench/Cargo.toml
	$(call STEP,measuring)
	@node scripts/bench.mjs $(ROW)

bench-ui: setup-tests ui-dist ## long chats and fast streams, on the page alone and in the real window: time, nodes, memory (PART=open|stream|markdown|window|large|send: only that; PART=hour: memory while it streams for an hour)
ifeq ($(filter window large send hour,$(PART)),)
	$(call STEP,building the page with the fake host)
	@$(NPM) run build:fake
	$(call STEP,measuring the page)
	@$(BOUNDED) 1800 node scripts/bench-ui.mjs $(PART)
endif
ifeq ($(filter open stream markdown,$(PART)),)
	$(call STEP,building the release)
	@cargo build --release $(FEATURES) --locked --bins
endif
ifneq ($(filter window,$(or $(PART),window)),)
	$(call STEP,building what writes a long ledger)
	@cargo build --release --locked --package vestibule-store --example long_ledger
	$(call STEP,measuring the real window)
	@VESTIBULE_BINARY=$(CURDIR)/target/release/vestibule $(BOUNDED) 1800 node scripts/bench-window.mjs
endif
ifneq ($(filter large,$(or $(PART),large)),)
	$(call STEP,measuring many tools and a large paste and result)
	@VESTIBULE_BINARY=$(CURDIR)/target/release/vestibule $(BOUNDED) 900 node scripts/bench-large.mjs
endif
ifeq ($(PART),hour)
	$(call STEP,streaming for an hour)
	@VESTIBULE_BINARY=$(CURDIR)/target/release/vestibule $(BOUNDED) 7200 node scripts/bench-window.mjs hour
endif
ifneq ($(filter send,$(or $(PART),send)),)
	$(call STEP,measuring the way of a message to the model)
	@VESTIBULE_BINARY=$(CURDIR)/target/release/vestibule $(BOUNDED) 600 node scripts/bench-send.mjs
endif

bench-search: ## the search over 100,000 messages and over 5,000 tools: time of a key and of a query, size of the index
	@cargo run --release --locked --package vestibule-store --example search
	@cargo run --release --locked --package vestibule-chat-tools --example tool_search

# The steps that the targets above are made of.

setup-tests:
	@scripts/setup.sh tests

# The binary holds the built user interface, so this comes before anything that compiles it.
ui-dist:
	$(call STEP,building the user interface)
	@$(NPM) run build

lint-ui: ui-dist
	$(call STEP,checking the user interface)
	@# Each of these uses one processor.
	@trap wait EXIT; $(BUILT_NPM) run lint & lint=$$!; $(BUILT_NPM) run check; $(BUILT_NPM) run knip; wait $$lint
	@node scripts/terms.mjs
	@node scripts/wording.mjs
	@node scripts/lint.mjs

test-ui: ui-dist
	$(call STEP,testing the user interface)
	@$(BOUNDED) 300 $(BUILT_NPM) test
	@CHROMIUM=$$(command -v chromium-headless-shell chromium chromium-browser google-chrome | head -n 1) $(BOUNDED) 2400 $(BUILT_NPM) run test:browser

lint-rust: ui-dist
	$(call STEP,checking that each lock file fits its manifests)
	@for folder in . tests/bench tests/fuzz; do cargo update --workspace --locked --quiet --manifest-path $$folder/Cargo.toml; done
	$(call STEP,checking the Rust side: format; words; licences)
	@cargo fmt --all --check
	@node scripts/words.mjs
	@target/tools/bin/cargo-deny --log-level error --locked check bans licenses sources
	$(call STEP,looking for dependencies that nothing uses)
	@target/tools/bin/cargo-machete --skip-target-dir >/dev/null || target/tools/bin/cargo-machete --skip-target-dir
	$(call STEP,linting the Rust side)
	@cargo clippy $(WHOLE) -- --deny warnings
	$(call STEP,linting what is built only to measure and to fuzz)
	@$(BESIDE) --manifest-path tests/bench/Cargo.toml -- --deny warnings
	@$(BESIDE) --manifest-path tests/fuzz/Cargo.toml --no-default-features -- --deny warnings

# One invocation builds the application and the tests, with one resolution of features.
build-tests: ui-dist
	$(call STEP,building the application and its tests)
	@cargo build $(WHOLE)

test-rust: build-tests
	$(call STEP,testing the Rust side)
	@# One test for each processor uses 57 % of two of them; the rest is waiting for servers.
	@RUST_TEST_THREADS=$$((2 * $$(nproc))) $(BOUNDED) 2400 cargo test --workspace $(FEATURES) --locked --no-fail-fast

conformance-tests: build-tests
	$(call STEP,playing the official conformance suite)
	@$(BOUNDED) 600 node scripts/conformance.mjs

desktop-tests: build-tests
	$(call STEP,testing the application on a desktop of its own)
	@# Two tests side by side use 75 % of two processors. Four take 390 s there, three took 583.
	@$(BOUNDED) 1800 node --test --test-concurrency=4 --test-reporter=spec tests/desktop/*.test.mjs
