# What a newcomer needs is `make demo` and `make test`; `make help` lists the rest. Go
# 1.25 or newer, a C++20 compiler and make are enough: what a target needs beyond that
# scripts/setup.sh names, and installs where it can (INSTALL=0: names only).

GO ?= go
ROUNDS ?= 11
FUZZTIME ?= 1m
# Programs that setup.sh installed, where it is not root.
export PATH := $(CURDIR)/_build/tools/bin:$(PATH)
# The limit is for what hangs: a busy machine may need ten times as long. Instrumented
# builds run several times slower than the default 10 minutes are meant
# for. What Go's cache knows of a test is neither the programs that it builds and runs
# nor a variable that is read while it is initialized, as EBBPOOL_CHECKED is. go vet is
# for test-lint and test-vet: here each build would repeat it.
TESTFLAGS ?= -timeout 60m -count=1 -vet=off $(if $(EBBPOOL_PARTS),-json)

# A build that repeats what another has in full, and what runs slowly, leaves out its
# longest tests; `make test-long` runs them, too.
SHORT ?= -short
# What takes longer hangs: a part of make test takes 3 minutes, one of test-all 6.
PARTLIMIT ?= 20m
# A program of the race detector sleeps for a second at its end, else.
export GORACE ?= atexit_sleep_ms=50
# A quarter of the compiler's and the linker's time is the collection of their own garbage;
# less of it takes a fifth more memory. What they write is the same, and of the tests'
# environment nothing changes that they read.
export GOFLAGS := $(GOFLAGS) $(if $(findstring -toolexec,$(GOFLAGS)),,'-toolexec=env GOGC=400')
# The oldest and the newest Go that the suite is run on, beside the one that is here.
OLDEST = go1.25.0
NEWEST = go1.27.4

# docs, the suite and the benchmarks are modules of their own, so that go get does not bring
# them; here one go command tests them with the root.
ROOT = ./... ./docs/... ./internal/suite/... ./internal/bench
WORK = $(CURDIR)/scripts/root.work

# The packages whose tests know -nolayout and -nospeed, and those of the machine.
SUITES = . ./fixedpool ./internal/suite ./internal/bench
MACHINE = ./internal/machine ./internal/check
# What is built on package arena, as programs are.
ABOVE = ./arenajson ./arenahttp ./internal/suite/json
# Most of whose time goes to what make test leaves to test-plain-long.
LONG = ./arenajson ./docs/mistakes ./internal/suite ./internal/suite/json
# Two tests of arenajson's that take two thirds of its time: of what is on the heap, and
# of what encoding/json answers; and two of how much arenas and pools retain. Go, the
# processor's words and the fallback can change that; what instruments a build can't, nor
# how it is optimized.
HEAVY = ^TestHostileDocumentsOnTheHeap$$|^TestQuotedAsV1$$|^TestEpochSequences$$|^TestStreams$$
LESSER = $(if $(SHORT),-skip '$(HEAVY)')
# What takes half a minute or more without -short, and has fewer rounds, not none, with it.
MANY = ^TestStaleValuesOfReflection$$|^TestMapRandom$$|^TestHostileDocumentsOnTheHeap$$|^TestFloatsAsStrconv$$|^TestQuotedAsV1$$
FEWER = $(if $(SHORT),-skip '$(MANY)')
# What else has tests, mostly of one goroutine, which gain least from the sanitizers; those
# that read pages and sources nothing at all.
REST = $(shell GOWORK=$(WORK) $(GO) list $(ROOT) | grep -vE '/(arena|arenahttp|fixedpool|suite|bench|machine|check$(if $(SHORT),|docs))$$' | sed 's|^github.com/ebbpool/arena|.|')
# The modules. What compares our protobuf with others has large dependencies, and is a part of its own.
OTHERS = adapters/protobuf/bench adapters/protobuf/others
ADAPTERS = $(patsubst %/,%,$(wildcard adapters/*/))
EXAMPLES = $(patsubst %/,%,$(wildcard examples/*/))
# test-adapters has compiled what lint comes to last.
MODULES = . docs internal/suite internal/bench lab lab/load $(EXAMPLES) arenavet scripts $(ADAPTERS)

# each COMMAND,FOLDERS: the command in each folder, also after one in which it failed.
each = status=0; for dir in $(2); do (cd $$dir && export GOWORK=off && $(1)) || status=1; done; exit $$status

# parts HOW LONG,PARTS,FLAGS: runs targets two at a time, goes on after one that fails,
# and counts what passed (scripts/parts).
parts = @scripts/setup.sh $@ && $(GO) build -C scripts -buildvcs=false -o ../_build/test/parts ./parts && \
	_build/test/parts -make "$(MAKE)" -about "$(1)" $(3) $@ $(2)

# Everything once, as users build it; the race detector where goroutines meet, and one
# sanitizer of C++. Of two parts that build the same packages at once each would compile
# them: C++ goes beside test-plain, and the race detector's beside the first half of lint.
# The shortest are last, so that none is left alone at the end.
QUICK = test-plain test-cpp-asan test-cpp-release test-lint test-race-quick test-adapters test-arenavet-quick test-examples \
	test-lab-quick test-release
# What it has less of than a part of test-all.
LESS = test-race-quick test-lab-quick test-arenavet-quick
# Each other build, processor, Go and compiler.
REMAINING = test-plain-long test-arenavet test-wasm test-s390x test-arm64 test-race test-asan test-lab test-go-oldest \
	test-go-newest test-portable test-nolayout test-check test-check-off test-debug test-386 test-benches test-vet \
	test-adapters-builds test-adapters-others test-examples-builds test-soak test-cpp-bench test-cpp-tsan test-cpp-clang test-cpp-fuzz test-cpp-compilers \
	test-cpp-cross test-cpp-packages test-cpp-blocks test-cpp-docs test-cpp-style test-site
# What others have in part: combinations of checks (the race detector has checkptr's), ARM of
# 32 bits beside ARM of 64 and x86 of 32, and all clangs of Debian.
LONGEST = test-race-check test-race-off test-checkptr test-arm test-asan-off test-asan-check test-portable-adapters test-experiment test-cpp-compilers-all \
	test-cpp-cross-all test-cpp-peers test-arenavet-long

# What tests the root.
$(filter-out test-soak test-adapters% test-arenavet% test-examples% test-lab% test-lint test-release test-cpp% test-site,$(QUICK) $(REMAINING) $(LONGEST)) repeat: export GOWORK := $(WORK)

.PHONY: help demo stress shifting conversions bench bench-json bench-codecs isolation matrix use-after-free report test test-all test-long $(QUICK) $(REMAINING) $(LONGEST) test-cpp repeat \
	orders orders-load soak arenavet-modules bench-cpp cpp-docs cpp-single traces fuzz tools site \
	release-check release-tags

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-23s %s\n", $$1, $$2}'

demo: tools ## a loaded HTTP server, five ways, and a sentence: within a minute, once it is built
	cd lab/load && $(GO) run ./cmd/load -demo -out ../results/demo.txt

include scripts/measure.mk

test: tools ## everything once, as users build it: 4 minutes on two idle cores
	$(call parts,4 minutes on two idle cores and 8 where nothing has been built yet,$(QUICK),-keep -limit $(PARTLIMIT))

test-all: tools ## each build, processor, Go and compiler once: 40 minutes on two idle cores
	$(call parts,40 minutes on two idle cores,$(REMAINING) $(filter-out $(LESS),$(QUICK)),-take -limit $(PARTLIMIT))

test-long: tools ## all of that without -short, every combination, 10 minutes of each fuzz target: hours
	$(MAKE) test-all SHORT= PARTLIMIT=5h
	$(call parts,an hour,$(LONGEST),-limit 5h)
	$(MAKE) repeat
	$(MAKE) fuzz FUZZTIME=10m
	FUZZSECONDS=600 scripts/cpp.sh fuzz

repeat: tools ## what depends on chance, many times
	$(GO) test -timeout 60m -count=20 -run 'Random|Torture|Hostile|GC|Concurrent|Limit|Replay|Steady' . ./internal/suite
	$(GO) test -timeout 60m -count=5 -short -race -run 'Random|Torture|GC|Concurrent|Limit|Replay' . ./internal/suite

test-lint: tools ## gofmt, go vet, staticcheck and arenavet over every module
	scripts/lint.sh $(GO) $(MODULES)

test-plain: tools ## the suite as users build the library
	$(GO) test $(TESTFLAGS) $(filter-out $(LONG:./%=github.com/ebbpool/arena/%),$(shell GOWORK=$(WORK) $(GO) list $(ROOT)))
	$(GO) test $(TESTFLAGS) -short $(LONG)

# docs/mistakes builds its program with each checker. The first time that is most of the
# standard library, too, which must not count towards the time that a test may take.
test-plain-long: tools ## the same with more rounds of what is random, and with programs that are built with each checker
	@for flags in "" -race -asan "-tags arenacheck"; do \
		CGO_ENABLED=1 $(GO) build $$flags -o /dev/null ./docs/mistakes 2>/dev/null || true; \
	done
	$(GO) test $(TESTFLAGS) $(FEWER) $(LONG)

include scripts/builds.mk

test-lab-quick: tools ## the tests of the load test and of the tables, without those that build the standard library anew
	$(call each,$(GO) test $(TESTFLAGS) -short ./...,lab lab/load)

test-lab: tools ## all of them (SHORT= for conversions of others' modules, too, with the tests that these have)
	$(call each,$(GO) test $(TESTFLAGS) $(if $(SHORT),-skip '^TestModules$$') ./...,lab lab/load)

# gin without MessagePack, which takes longer to compile than all else of the routers.
test-adapters test-adapters-builds: export GOFLAGS := $(GOFLAGS) -tags=nomsgpack
test-adapters: tools ## the tests of the adapters
	$(call each,$(GO) test $(TESTFLAGS) ./...,$(ADAPTERS))

test-adapters-others: tools ## protobuf beside other decoders, and with others' messages
	scripts/lint.sh $(GO) $(OTHERS)
	$(call each,$(GO) test $(TESTFLAGS) ./...,$(OTHERS))

test-adapters-builds: tools ## the same under the race detector, on the portable fallback, with checks, with the grpc-go after that in go.mod
	$(call each,$(GO) test $(TESTFLAGS) $(SHORT) -race ./...,$(if $(SHORT),$(filter-out %/arrow,$(ADAPTERS)),$(ADAPTERS)))
	cd adapters/protobuf && $(GO) test $(TESTFLAGS) -short -tags arenaportable ./...
	cd adapters/arrow && $(GO) test $(TESTFLAGS) -short -tags arenacheck ./... # it starts no goroutine
	cd adapters/grpc && $(GO) test $(TESTFLAGS) -short -tags arenacheck ./...
	cd adapters/grpc && $(GO) test $(TESTFLAGS) -modfile=go_current.mod ./...

test-portable-adapters: tools
	$(call each,$(GO) test $(TESTFLAGS) -short -tags arenaportable ./...,$(ADAPTERS))

test-examples: tools ## the tests of the examples
	$(call each,$(GO) test $(TESTFLAGS) ./...,$(EXAMPLES))

# The race detector and its checks for misuse see what requests at the same time do to
# each other, which is in the quick tests, too.
test-examples-builds: tools ## the same under the race detector (SHORT=: with all checks for misuse, too)
	$(call each,$(GO) test $(TESTFLAGS) -short -race ./... $(if $(SHORT),,&& $(GO) test $(TESTFLAGS) -short -tags arenacheck ./...),$(EXAMPLES))

orders: tools ## an example of a service, on localhost:8080 (examples/orders/README.md)
	cd examples/orders && $(GO) run .

orders-load: tools ## that service and its counterpart without arenas under load, by turns, into its README
	cd examples/load && $(GO) run ./orders
	cd lab && $(GO) run ./cmd/lab keep orders results/orders.txt

soak: tools ## 30 minutes of that service and its counterpart without arenas in 256 MB: load that shifts, killed clients, every metric compared
	cd examples/load && $(GO) test -timeout 60m -count=1 -run Soak -v ./soak -for 30m

test-soak: tools ## a minute of it (SHORT=: 30)
	cd examples/load && $(GO) test $(TESTFLAGS) -run Soak ./soak -for $(if $(SHORT),1m,30m)

# A fifth of what they use is the collection of syntax trees.
test-arenavet test-arenavet-quick: export GOGC := 400
test-arenavet: tools ## the tests of the analyzer, and of what it converts
	cd arenavet && $(GO) test $(TESTFLAGS) ./...

test-arenavet-quick: tools ## the same without those that build programs
	cd arenavet && $(GO) test $(TESTFLAGS) -short ./...

arenavet-modules: tools ## the analyzer over modules that nobody wrote for it, downloaded, which take buffers from a pool
	scripts/arenavet-modules.sh

test-arenavet-long: arenavet-modules ## that, all of the mistakes that a generator plants, 26,000, and golangci-lint with the analyzer
	scripts/arenavet-golangci.sh
	cd arenavet && EBBPOOL_PLANTED=all $(GO) test $(TESTFLAGS) -run PlantedByGenerator .

include scripts/cpp.mk

test-release: tools ## that versions, requirements and licence are right for a release, and the tests of scripts
	$(call each,$(GO) test $(TESTFLAGS) ./...,scripts)

release-check: tools ## all that a release needs, and its archives: _build/release
	cd scripts && $(GO) run ./release

release-tags: tools ## the tags of a release, one for each module, on the commit that is checked out; PUSH=1 pushes them
	cd scripts && $(GO) run ./release -tag $(if $(PUSH),-push)

site: ## these pages as a site with search: _build/site/html (needs python3; what it installs once lies in _build/site)
	scripts/site.sh

test-site: ## the site, and every link in it
	scripts/site.sh test

traces: tools ## write the shared traces anew, from the slow model
	cd internal/suite && $(GO) run ./tracegen ../../traces

fuzz: tools ## FUZZTIME of each fuzz target
	scripts/fuzz.sh $(FUZZTIME) $(GO)

tools:
	@command -v $(GO) >/dev/null || { echo "this needs Go 1.25 or newer: https://go.dev/dl"; exit 1; }
