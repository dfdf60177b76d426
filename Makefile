# What a newcomer needs is `make demo` and `make test`; `make help` lists the
# rest. Go 1.25 or newer, a C++20 compiler and CMake are enough.

GO ?= go
ROUNDS ?= 11
FUZZTIME ?= 1m
# Instrumented builds run several times slower than the default 10 minutes are meant
# for. What Go's cache knows of a test is neither the programs that it builds and runs
# nor a variable that is read while it is initialized, as EBBPOOL_CHECKED is.
TESTFLAGS ?= -timeout 20m -count=1

# A build that repeats what another has in full, and what runs slowly, leaves out its
# longest tests; `make test-long` runs them, too.
SHORT ?= -short
# What measures nothing runs so many parts at a time, each with its output in one piece,
# where make can do that: of two processors an emulator has one idle.
TOGETHER ?= -j 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# A program of the race detector sleeps for a second at its end, else.
export GORACE ?= atexit_sleep_ms=50
# The oldest and the newest Go that the suite is run on, beside the one that is here.
GOS ?= go1.25.0 go1.27.4

# The packages whose tests know -nolayout and -nospeed, and those of the machine.
SUITES = . ./internal/suite ./internal/bench
MACHINE = ./internal/machine ./internal/check
# What is built on package arena, as programs are.
ABOVE = ./arenajson ./arenahttp
# What else has tests, mostly of one goroutine, which gain least from the sanitizers.
REST = $(shell $(GO) list ./... | grep -vE '/(arena|arenahttp|suite|bench|machine|check)$$' | sed 's|^github.com/ebbpool/arena|.|')

.PHONY: help demo stress bench bench-json report test test-go test-lab test-adapters test-examples orders orders-load soak test-vet test-plain test-portable test-nolayout \
	test-check test-debug test-checkptr test-race test-asan test-386 test-arm64 test-arm test-s390x test-wasm \
	test-gos test-benches test-long test-experiment test-arenavet arenavet-modules test-cpp \
	test-cpp-compilers test-cpp-cross bench-cpp cpp-tables cpp-docs cpp-single traces fuzz tools site test-site test-release release-check

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: tools ## a loaded HTTP server, three ways, in six lines: within a minute, once it is built
	cd lab && $(GO) run ./cmd/lab demo

stress: tools ## the load test in full: 5,000,000 live objects, 1,000,000 requests, 5 rounds
	cd lab && $(GO) run ./cmd/lab stress -full -csv ../docs/stress.csv -page ../docs/numbers.md -front ../README.md

bench: tools ## every ratio that is claimed, ROUNDS times, into docs/bench.csv, docs/numbers.md and the README
	cd lab && $(GO) run ./cmd/lab bench -rounds $(ROUNDS) -csv ../docs/bench.csv -page ../docs/numbers.md -front ../README.md

bench-json: tools ## arenajson beside the other JSON codecs, ROUNDS times, into docs/json.csv and docs/json.md
	cd lab && $(GO) generate ./jsonbench/easy
	cd lab && $(GO) run ./cmd/lab json -rounds $(ROUNDS) -go $(lastword $(GOS)) -csv ../docs/json.csv -page ../docs/json.md

report: tools ## every workload with every subject, both languages, as one page: docs/report (FULL=1: all sizes)
	cd lab && $(GO) build -o results/.lab ./cmd/lab && \
		./results/.lab run $(if $(FULL),-full,-quick) -go $(lastword $(GOS)) && \
		./results/.lab report -page ../docs/numbers.md

test: ## every test, in every build that promises something
	$(MAKE) test-plain test-lab # they measure, and so each has the machine for itself
	$(MAKE) $(TOGETHER) $(BUILDS) test-adapters test-examples test-arenavet test-release test-site
	$(MAKE) test-cpp
	@echo "all tests passed"

# The slowest first, so that none of them is left alone at the end.
BUILDS = test-wasm test-s390x test-arm64 test-arm test-race test-asan test-gos test-portable test-nolayout \
	test-check test-debug test-checkptr test-386 test-benches test-vet

test-go: test-plain
	$(MAKE) $(TOGETHER) $(BUILDS)

test-long: ## make test without -short, then what takes an hour more: 10 minutes of each fuzz target, soaks
	$(MAKE) test SHORT=
	$(MAKE) test-experiment test-cpp-compilers test-cpp-cross
	$(GO) test -timeout 60m -count=20 -run 'Random|Torture|Hostile|GC|Concurrent|Limit|Replay|Steady' . ./internal/suite
	$(GO) test -timeout 60m -count=5 -short -race -run 'Random|Torture|GC|Concurrent|Limit|Replay' . ./internal/suite
	$(MAKE) fuzz FUZZTIME=10m
	FUZZSECONDS=600 scripts/cpp.sh fuzz

test-vet: tools ## go vet and gofmt
	$(GO) vet ./...
	$(GO) vet -tags arenaportable ./...
	$(GO) vet -tags arenacheck ./...
	for system in windows/amd64 darwin/arm64 freebsd/amd64 wasip1/wasm; do \
		for tags in "" arenacheck; do \
			CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) vet -tags "$$tags" ./... || exit 1; \
		done; \
	done
	CGO_ENABLED=0 GOOS=ios GOARCH=arm64 $(GO) build . # vet would need Apple's linker
	@test -z "$$(gofmt -l .)" || { echo "not formatted, run gofmt -w on:"; gofmt -l .; exit 1; }

test-plain: tools ## the suite as users build the library
	$(GO) test $(TESTFLAGS) ./...

test-portable: tools ## the suite on the fallback that assumes nothing of the runtime
	$(GO) test $(TESTFLAGS) $(SHORT) -tags arenaportable ./...

test-nolayout: tools ## the suite as if the check at start-up had failed
	$(GO) test $(TESTFLAGS) $(SHORT) $(SUITES) -args -nolayout

test-check: tools ## the suite with all checks for misuse (tag arenacheck), and with memory used again, too
	$(GO) test $(TESTFLAGS) -tags arenacheck $(SUITES) -args -nospeed
	$(GO) test $(TESTFLAGS) -tags arenacheck $(MACHINE) $(ABOVE)
	EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) $(SHORT) -tags arenacheck $(SUITES) -args -nospeed
	EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) -tags arenacheck $(MACHINE)

test-debug: tools ## the suite without optimization, as in a debugger
	$(GO) test $(TESTFLAGS) $(SHORT) -gcflags='github.com/ebbpool/arena/...=-N -l' $(SUITES) -args -nospeed
	$(GO) test $(TESTFLAGS) -gcflags='-N -l' $(MACHINE)

test-checkptr: tools ## the suite with the compiler's checks of unsafe
	$(GO) test $(TESTFLAGS) $(SHORT) -gcflags=all=-d=checkptr $(SUITES) -args -nospeed
	$(GO) test $(TESTFLAGS) -gcflags=all=-d=checkptr $(MACHINE)
	$(GO) test $(TESTFLAGS) $(SHORT) -gcflags=all=-d=checkptr $(ABOVE) -args -nospeed

test-race: tools ## the suite under the race detector, with its checks for misuse, without, and with all
	$(GO) test $(TESTFLAGS) -race $(SUITES) $(MACHINE) ./arenahttp
	$(GO) test $(TESTFLAGS) $(SHORT) -race $(REST)
	EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) $(SHORT) -race $(SUITES) $(MACHINE)
	$(GO) test $(TESTFLAGS) $(SHORT) -race -tags arenacheck $(SUITES) $(MACHINE)

test-asan: tools ## the suite under AddressSanitizer, with its checks for misuse, without, and with all
	scripts/test-if-buildable.sh "AddressSanitizer (needs a C compiler with libasan, as gcc 7 or clang)" \
		env CGO_ENABLED=1 $(GO) test $(TESTFLAGS) -asan $(SUITES) $(MACHINE) ./arenahttp
	scripts/test-if-buildable.sh "AddressSanitizer" \
		env CGO_ENABLED=1 $(GO) test $(TESTFLAGS) $(SHORT) -asan $(REST)
	scripts/test-if-buildable.sh "AddressSanitizer without the checks for misuse" \
		env CGO_ENABLED=1 EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) $(SHORT) -asan $(SUITES) $(MACHINE)
	scripts/test-if-buildable.sh "AddressSanitizer with all checks for misuse" \
		env CGO_ENABLED=1 $(GO) test $(TESTFLAGS) $(SHORT) -asan -tags arenacheck $(SUITES) $(MACHINE)

test-386: tools ## the suite on 32 bits, where the machine can run it
	scripts/test-if-buildable.sh "386 (needs a machine that runs 32-bit x86 programs)" \
		env CGO_ENABLED=0 GOARCH=386 $(GO) test $(TESTFLAGS) $(SHORT) ./...

test-arm64: tools ## the suite on ARM of 64 bits, emulated by qemu where there is one (SHORT= for all of it)
	scripts/emulated.sh arm64 $(GO) test $(TESTFLAGS) $(SHORT) ./...

test-arm: tools ## the same on ARM of 32 bits
	scripts/emulated.sh arm $(GO) test $(TESTFLAGS) $(SHORT) ./...

test-s390x: tools ## the same on a big-endian machine
	scripts/emulated.sh s390x $(GO) test $(TESTFLAGS) $(SHORT) ./...

test-wasm: tools ## the same as WebAssembly, in wazero
	scripts/emulated.sh wasm $(GO) test $(TESTFLAGS) $(SHORT) ./...

test-gos: tools ## the suite on the oldest Go that is promised and on the newest, where they can be had
	for version in $(GOS); do \
		scripts/test-with-go.sh $$version $(GO) test $(TESTFLAGS) $(SHORT) $(SUITES) $(MACHINE) $(ABOVE) ./docs ./arenapprof ./arenavar || exit 1; \
	done

# One run of each benchmark, none of which is measured: they must not rot in a build
# that nobody measures.
ONCE = -bench=. -benchtime=1x -cover -benchmem

test-benches: tools ## every benchmark once, in each checked build
	$(GO) test $(TESTFLAGS) -run='^$$' $(ONCE) -tags arenacheck ./internal/bench
	$(GO) test $(TESTFLAGS) -run='^$$' $(ONCE) -race ./internal/bench
	scripts/test-if-buildable.sh "the benchmarks under AddressSanitizer" \
		env CGO_ENABLED=1 $(GO) test $(TESTFLAGS) -run='^$$' $(ONCE) -asan ./internal/bench

test-experiment: tools ## the command that the experiment with arenas in Go documents, and the same in the other checked builds
	scripts/test-if-buildable.sh "AddressSanitizer (needs a C compiler with libasan, as gcc 7 or clang)" \
		env CGO_ENABLED=1 GOEXPERIMENT=arenas $(GO) test -asan -v ./... -run=. $(ONCE)
	GOEXPERIMENT=arenas $(GO) test -race -v ./... -run=. $(ONCE)
	GOEXPERIMENT=arenas $(GO) test -tags arenacheck -v ./... -run=. $(ONCE)

test-lab: tools ## the tests of the stress test and of the tables
	cd lab && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...

test-adapters: tools ## the tests of the adapters: plain, under the race detector, and on the portable fallback
	for dir in adapters/*/; do \
		(cd $$dir && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./... && $(GO) test $(TESTFLAGS) $(SHORT) -race ./... && \
			$(GO) test $(TESTFLAGS) -short -tags arenaportable ./...) || exit 1; \
	done
	for dir in bench others; do \
		(cd adapters/protobuf/$$dir && $(GO) vet . && $(GO) test $(TESTFLAGS) $(SHORT) .) || exit 1; \
	done
	cd adapters/grpc && $(GO) test $(TESTFLAGS) -modfile=go_current.mod ./... # the minor of grpc-go after that in go.mod
	cd adapters/grpc && $(GO) test $(TESTFLAGS) -short -tags arenacheck ./...

# The race detector and the checks for misuse see what requests at the same time do to
# each other, which is in the quick tests, too.
test-examples: tools ## the tests of the examples, plain, under the race detector, and with all checks for misuse
	for dir in examples/*/; do \
		(cd $$dir && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./... && $(GO) test $(TESTFLAGS) -short -race ./... && \
			$(GO) test $(TESTFLAGS) -short -tags arenacheck ./...) || exit 1; \
		test -z "$$(gofmt -l $$dir)" || { echo "not formatted, run gofmt -w on:"; gofmt -l $$dir; exit 1; }; \
	done

orders: tools ## an example of a service, on localhost:8080 (examples/orders/README.md)
	cd examples/orders && $(GO) run .

orders-load: tools ## that service and its twin without arenas under load, by turns, into its README
	cd examples/orders && $(GO) run ./load -page README.md

soak: tools ## 10 minutes of that service under cancelled requests, panics and limits, beside its twin without arenas
	cd examples/orders && ORDERS_SOAK=10m $(GO) test -timeout 20m -count=1 -run Soak -v ./soak

test-arenavet: tools ## the analyzer's tests, and the analyzer over all that uses arenas here and means well
	cd arenavet && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...
	@test -z "$$(gofmt -l arenavet)" || { echo "not formatted, run gofmt -w on:"; gofmt -l arenavet; exit 1; }
	tool=$$(mktemp -d)/arenavet && (cd arenavet && $(GO) build -o $$tool ./cmd/arenavet) && \
		$(GO) vet -vettool=$$tool $$($(GO) list ./... | grep -vE '/docs/mistakes$$|/internal/(suite|bench)$$') && \
		(for dir in lab adapters/*/ examples/*/ arenavet; do (cd $$dir && $(GO) vet -vettool=$$tool ./...) || exit 1; done); \
		status=$$?; rm -r $$(dirname $$tool); exit $$status

arenavet-modules: tools ## the analyzer over three large modules, downloaded, that take buffers from a pool
	scripts/arenavet-modules.sh

test-cpp: ## the C++ half: gcc and clang, sanitizers, threads, 20 s of fuzzing, other compilers and processors, style
	scripts/cpp.sh release
	scripts/cpp.sh asan
	scripts/cpp.sh tsan
	scripts/cpp.sh clang
	FUZZSECONDS=20 scripts/cpp.sh fuzz
	scripts/cpp-compilers.sh
	scripts/cpp-cross.sh -quick aarch64 riscv64 s390x i686
	scripts/cpp-packages.sh
	scripts/cpp-porting.sh
	scripts/cpp-docs.sh
	scripts/cpp-style.sh

test-release: tools ## that versions, requirements and licence are right for a release
	cd release && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...

release-check: tools ## all that a release needs, and its archives: _build/release
	cd release && $(GO) run . -repo .. -out ../_build/release

site: ## these pages as a site with search: _build/site/html (needs python3; what it installs once lies in _build/site)
	scripts/site.sh

test-site: ## the site, and every link in it
	scripts/site.sh test

cpp-docs: ## the reference of the C++ half, by Doxygen: cpp/build/docs/html
	scripts/cpp-docs.sh

cpp-single: ## cpp/single/ebbpool.hpp anew, from the headers
	scripts/cpp-single.sh

test-cpp-compilers: ## the C++ half's tests by every clang that Debian has
	scripts/cpp-compilers.sh -all

test-cpp-cross: ## the C++ half's tests on other processors, cross-built and emulated, where the compilers are
	scripts/cpp-cross.sh aarch64 riscv64 s390x i686

bench-cpp: tools ## the C++ pools beside the floor and the peers that this machine has, into docs and cpp/README.md
	scripts/cpp-bench.sh

cpp-tables: tools ## the tables of cpp/README.md from the kept figures
	cd lab && $(GO) run ./cmd/lab cpp -page ../cpp/README.md -counts ../docs/cpp-instructions.csv ../docs/cpp-gcc.csv ../docs/cpp-clang.csv

traces: tools ## write the shared traces anew, from the slow model
	$(GO) run ./internal/tracegen traces

fuzz: tools ## FUZZTIME of each fuzz target
	scripts/fuzz.sh $(FUZZTIME) $(GO)

tools:
	@command -v $(GO) >/dev/null || { echo "this needs Go 1.25 or newer: https://go.dev/dl"; exit 1; }
