# make demo and make test are a good start; make help lists all targets. They need Go 1.25 or newer, a C++20 compiler and
# make. scripts/setup.sh installs the rest where it can (INSTALL=0: it only names what is missing).

export GO ?= go
ROUNDS ?= 11
FUZZTIME ?= 1m
export PATH := $(CURDIR)/_build/tools/bin:$(PATH)

# The packages of the root, and of docs, internal/suite and internal/bench, which are modules so that go get does not
# download them. One go command tests them all.
WORK = $(CURDIR)/scripts/root.work
ROOT = ./... ./docs/... ./internal/suite/... ./internal/bench
ADAPTERS = $(patsubst %/,%,$(wildcard adapters/*/))
EXAMPLES = $(patsubst %/,%,$(wildcard examples/*/))
# Tests of adapters beside packages that their own modules do not depend on.
OTHERS = adapters/protobuf/bench adapters/protobuf/others adapters/protobuf/gogo adapters/pgx/mock adapters/sql/drivers adapters/franz/broker
MODULES = . docs internal/suite internal/bench lab lab/load $(EXAMPLES) arenavet $(ADAPTERS)

# Most tests read files or environment variables that Go's test cache does not know, hence -count=1. test-lint runs vet.
TESTFLAGS ?= -timeout $(if $(SHORT),50m,4h) -count=1 -vet=off
# Only make test-long runs the longest tests.
SHORT ?= -short
# A program built with -race sleeps for a second at its end otherwise.
export GORACE ?= atexit_sleep_ms=50
# The compiler and the linker spend a quarter of their time in the collector.
export GOFLAGS := $(GOFLAGS) $(if $(findstring -toolexec,$(GOFLAGS)),,'-toolexec=env GOGC=400')

GOTEST = $(if $(wildcard _build/tools/bin/gotestsum),gotestsum --format pkgname --format-hide-empty-pkg --raw-command -- $(GO) test -json,$(GO) test) $(TESTFLAGS)
# each COMMAND,FOLDERS: the command in each folder, also after one in which it failed.
each = status=0; for dir in $(2); do (cd $$dir && export GOWORK=off && $(1)) || status=1; done; exit $$status

# make test runs everything once, as users build it, and the race detector where goroutines meet.
TEST = test-plain test-cpp-asan test-lint test-cpp-release test-adapters test-race-quick test-examples test-arenavet \
	test-lab test-release
# The rest of what CI checks. The help of each target names the bugs that only this build finds.
CI = test-race test-asan test-check test-oldest test-newest test-386 test-docs test-systems test-adapters-race \
	test-arenavet-builds test-cpp-clang test-cpp-tsan test-cpp-docs
# What runs at night: emulated processors, combinations of checks, long random tests and soaks.
LONG = $(TEST) $(CI) test-race-off test-race-check test-asan-off test-asan-check test-check-off test-checkptr test-debug \
	test-jsonv2 test-arm64 test-arm test-s390x test-wasm test-bench test-adapters-check test-adapters-others test-examples-race \
	test-soak test-arenavet-long test-site test-cpp-bench test-cpp-style test-cpp-fuzz test-cpp-compilers test-cpp-cross \
	test-cpp-packages test-cpp-peers test-repeat test-fuzz

# parts NAME: runs the parts listed in $(NAME), two at a time, also after one has failed.
parts = @scripts/setup.sh $@; rm -f $(patsubst %,_build/test/%.result,$(1)); \
	$(MAKE) -j2 -k --output-sync=target --no-print-directory $(addprefix part/,$(1)); scripts/summary.sh $(1)
part/%:
	@scripts/part.sh $*

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-22s %s\n", $$1, $$2}'

test: ## test everything once, as users build it: 8 to 14 minutes on two cores in a fresh clone
	$(call parts,$(TEST))

test-ci: ## the rest of what CI checks: 20 minutes on two cores
	$(call parts,$(CI))

test-long: export SHORT =
test-long: export PARTLIMIT ?= 5h
test-long: ## everything, with the longest tests: many hours
	$(call parts,$(LONG))

list-ci: # the parts that .ci/run runs
	@echo $(TEST) $(CI)

list-long: # the parts that .github/workflows/nightly.yml runs
	@echo $(LONG)

include scripts/builds.mk
include scripts/cpp.mk
include scripts/measure.mk

test-lint: ## gofmt, go vet, staticcheck and arenavet over every module
	scripts/lint.sh $(GO) $(MODULES)

# gin without MessagePack, which takes longer to compile than all other routers.
test-adapters test-adapters-race test-adapters-check test-examples test-examples-race: export GOFLAGS := $(GOFLAGS) -tags=nomsgpack
test-adapters: ## the adapters
	$(call each,$(GOTEST) $(SHORT) ./...,$(ADAPTERS))
	cd adapters/grpc && GOWORK=off $(GO) vet -modfile=go_current.mod ./...

test-examples: ## the examples
	$(call each,$(GOTEST) $(SHORT) ./...,$(EXAMPLES))

# A fifth of the time is the collection of syntax trees.
test-arenavet test-arenavet-builds test-arenavet-long: export GOGC := 400
test-arenavet: ## the analyzer and the converter, without the tests that build programs
	cd arenavet && $(GOTEST) -short ./...

# test-arenavet runs the skipped tests.
test-arenavet-builds: ## conversions of whole programs, which are built and run: conversions that do not compile or behave differently
	cd arenavet && $(GOTEST) -skip '^TestPlanted$$|^TestLargeFunctionEnds$$' ./...

test-arenavet-long: arenavet-modules ## the analyzer on other people's modules and 26,000 planted mistakes, and in golangci-lint
	scripts/arenavet-golangci.sh
	cd arenavet && EBBPOOL_PLANTED=all $(GOTEST) -run PlantedByGenerator .

arenavet-modules: ## the analyzer on downloaded modules that take buffers from a pool
	scripts/arenavet-modules.sh

test-lab: ## the load test and the comparison with other allocators
	$(call each,$(GOTEST) $(SHORT) ./...,lab lab/load)

test-release: ## versions, requirements and licenses are ready for a release
	scripts/release.sh check

release: ## archives, and a dry run that installs every module from them: _build/release
	scripts/release.sh build

release-tags: release ## a tag for each module on this commit; PUSH=1 pushes them
	scripts/release.sh tag $(if $(PUSH),-push)

demo: ## a loaded HTTP server, written in five ways: a minute
	cd lab/load && $(GO) run ./cmd/load -demo -out ../results/demo.txt

orders: ## the example service on localhost:8080 (examples/orders/README.md)
	cd examples/orders && $(GO) run .

orders-load: ## that service and its counterpart without arenas under load, into its README
	cd examples/load && $(GO) run ./orders
	cd lab && $(GO) run ./cmd/lab keep orders results/orders.txt

soak: ## 30 minutes of that service and its counterpart in 256 MB: changing load, killed clients
	cd examples/load && $(GO) test -timeout 60m -count=1 -run Soak -v ./soak -for 30m

test-soak: ## the same as a test; a minute of it with SHORT=-short
	cd examples/load && GOWORK=off $(GOTEST) -run Soak ./soak -for $(if $(SHORT),1m,30m)

site: ## the pages as a site with search: _build/site/html (needs python3)
	scripts/site.sh

test-site: ## the site, its links, and each page in a browser
	scripts/site.sh test

traces: ## regenerate the shared traces from the model
	cd internal/suite && $(GO) run ./tracegen ../../traces

fuzz: ## run each fuzz target for FUZZTIME
	scripts/fuzz.sh $(FUZZTIME) $(GO)

test-fuzz: ## run each fuzz target for 10 minutes
	scripts/fuzz.sh 10m $(GO)

.PHONY: help demo orders orders-load soak site traces fuzz release release-tags list-ci list-long arenavet-modules \
	test test-ci test-long $(LONG)
