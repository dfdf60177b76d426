# The root's tests, in different builds.

# The packages whose behavior depends on the build.
SUITES = . ./fixedpool ./internal/suite ./internal/bench ./internal/machine ./internal/check
ABOVE = ./arenajson ./arenahttp ./internal/suite/json
# Slow tests whose results do not depend on instrumentation, word size or an old Go: make test runs them.
LESS = $(if $(SHORT),-skip '^TestHostileDocumentsOnTheHeap$$|^TestQuotedAsV1$$|^TestCycleSequences$$|^TestStreams$$')

test-plain test-race-quick test-race test-race-off test-race-check test-asan test-asan-off test-asan-check test-check \
test-check-off test-checkptr test-debug test-oldest test-newest test-jsonv2 test-386 test-docs test-systems test-arm64 test-arm \
test-s390x test-wasm test-bench test-repeat test-next: export GOWORK := $(WORK)

test-plain: ## the root, as users build it
	$(GOTEST) $(SHORT) $(ROOT)

test-docs: ## every block of the pages compiled, and the table of mistakes, which builds a program with each checker
	$(GOTEST) ./docs ./docs/mistakes

# Tests in which goroutines meet.
MEET = Concurrent|Fork|Goroutine|Keep|Leak|Limit|Pool|Shared|Steady|Sync|Together
test-race-quick: ## data races in arenas and pools
	$(GOTEST) -short -race -run '$(MEET)' . ./internal/suite ./internal/machine ./arenahttp

test-race: ## data races, and unsafe pointers that checkptr rejects
	$(GOTEST) $(SHORT) $(LESS) -race $(SUITES) $(ABOVE)

test-race-off: ## data races in recycled memory
	EBBPOOL_CHECKED=off $(GOTEST) $(SHORT) -race $(SUITES)

test-race-check: ## the race detector with all checks for misuse
	$(GOTEST) $(SHORT) -race -tags arenacheck $(SUITES)

ASAN = scripts/if-buildable.sh "AddressSanitizer (needs a C compiler with libasan, as gcc 7 or clang)" env CGO_ENABLED=1
test-asan: ## accesses outside of objects
	$(ASAN) $(GOTEST) $(SHORT) $(LESS) -asan $(SUITES) ./arenajson

test-asan-off: ## the same build with recycled memory
	$(ASAN) EBBPOOL_CHECKED=off $(GOTEST) $(SHORT) -asan $(SUITES)

test-asan-check: ## AddressSanitizer with all checks for misuse
	$(ASAN) $(GOTEST) $(SHORT) -asan -tags arenacheck $(SUITES)

test-check: ## misuse that -tags arenacheck misses or reports wrongly
	$(GOTEST) $(SHORT) $(LESS) -tags arenacheck $(SUITES) $(ABOVE)

test-check-off: ## the same build with recycled memory
	EBBPOOL_CHECKED=off $(GOTEST) $(SHORT) -tags arenacheck $(SUITES)

test-checkptr: ## the compiler's checks of unsafe, without the race detector's allocator
	$(GOTEST) -short $(LESS) -gcflags=github.com/ebbpool/arena/...=-d=checkptr $(SUITES) $(ABOVE)

test-debug: ## without optimization, as in a debugger: code that relies on inlining
	$(GOTEST) -short -skip 'AllocatesNothing|Steady' -gcflags='github.com/ebbpool/arena/...=-N -l' $(SUITES)

test-oldest: ## the oldest supported Go: language and library features, and the runtime's layout, that it lacks
	scripts/with-go.sh go1.25.0 $(GOTEST) $(SHORT) $(LESS) $(SUITES) $(ABOVE) ./arenapprof ./arenavar ./internal/escape

test-newest: ## the newest supported Go: methods with type parameters, and changes of the runtime's layout
	scripts/with-go.sh go1.27.4 $(GO) vet . $(ABOVE)
	scripts/with-go.sh go1.27.4 $(GOTEST) $(SHORT) $(SUITES) $(ABOVE) ./arenapprof ./arenavar ./internal/escape
	cd adapters/sql/drivers && GOWORK=off ../../../scripts/with-go.sh go1.27.4 $(GOTEST) ./...
	cd arenavet && GOWORK=off ../scripts/with-go.sh go1.27.4 $(GOTEST) -short -run 'Methods$$|^TestRules$$|^TestIdioms$$|^TestHeapAdvice$$' .
	cd arenavet && GOWORK=off ../scripts/with-go.sh go1.27.4 $(GOTEST) -short ./internal/advise/... ./internal/profile/...
	cd arenavet && GOWORK=off ../scripts/with-go.sh go1.27.4 $(GOTEST) -run TestCases ./internal/convert

# TestMemoryOfDocuments compares with a page that holds the default's figures. The others are slow.
OTHERJSON = ^TestMemoryOfDocuments$$|^TestHostileDocumentsOnTheHeap$$|^TestQuotedAsV1$$|^TestStreams$$
test-jsonv2: ## arenajson beside the encoding/json that is not the default of a Go: v2 of Go 1.26, v1 of Go 1.27
	GOEXPERIMENT=jsonv2 scripts/with-go.sh go1.26.8 $(GOTEST) $(SHORT) -skip '$(OTHERJSON)' ./arenajson
	GOEXPERIMENT=nojsonv2 scripts/with-go.sh go1.27.4 $(GOTEST) $(SHORT) -skip '$(OTHERJSON)' ./arenajson

test-next: ## a Go that is not released yet, with GO= or GOTOOLCHAIN=
	$(GO) version
	$(GO) vet $(ROOT)
	$(GOTEST) $(SHORT) $(ROOT)
	cd arenavet && GOWORK=off $(GOTEST) -short ./...

test-386: ## words of 32 bits, and alignment, where the machine runs such programs
	scripts/if-buildable.sh "386 (needs a machine that runs 32-bit x86 programs)" \
		env CGO_ENABLED=0 GOARCH=386 $(GOTEST) $(SHORT) $(LESS) $(SUITES) $(ABOVE)

test-systems: ## packages that do not compile for Windows, macOS or WebAssembly
	for system in windows/amd64 darwin/arm64 wasip1/wasm; do \
		CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) vet ./internal/check ./internal/suite ./internal/machine \
			./internal/goroutine ./arenahttp || exit 1; \
	done

# An emulated processor is ten times slower or more, so that only test-long runs these.
test-arm64: ## ARM of 64 bits: its assembly and memory model
	scripts/emulated.sh arm64 $(GOTEST) -short $(SUITES) $(ABOVE)

test-arm: ## ARM of 32 bits: 64-bit atomics on 32-bit words
	scripts/emulated.sh arm $(GOTEST) -short $(SUITES)

test-s390x: ## a big-endian processor
	scripts/emulated.sh s390x $(GOTEST) -short $(SUITES) $(ABOVE)

test-wasm: ## WebAssembly, in wazero: one thread and no signals
	scripts/emulated.sh wasm $(GOTEST) -short $(SUITES)

test-bench: ## every benchmark once: those that no longer run
	$(GOTEST) -run='^$$' -bench=. -benchtime=1x ./internal/bench ./internal/goroutine ./arenajson ./arenahttp

test-repeat: ## what depends on chance, many times
	$(GOTEST) -count=20 -run 'Random|Torture|Hostile|GC|Concurrent|Limit|Replay|Steady' . ./internal/suite
	$(GOTEST) -count=5 -short -race -run 'Random|Torture|GC|Concurrent|Limit|Replay' . ./internal/suite

# The other adapters start no goroutine.
test-adapters-race: ## data races in the adapters of servers; with SHORT= in all adapters
	$(call each,$(GOTEST) -short -race ./...,$(if $(SHORT),adapters/connect adapters/fasthttp adapters/grpc adapters/pgx,$(ADAPTERS)))

test-adapters-check: ## the adapters with checks for misuse, and with the newest grpc-go and pgx
	$(call each,$(GOTEST) -short -tags arenacheck ./...,$(ADAPTERS))
	$(call each,$(GOTEST) -short -modfile=go_current.mod ./...,adapters/grpc adapters/pgx)

test-adapters-others: ## arenapb with other decoders' messages, arenapgx with pgxmock, arenasql with servers, arenafranz with brokers
	scripts/lint.sh $(GO) $(OTHERS)
	$(call each,$(GOTEST) ./...,$(OTHERS))

test-examples-race: ## data races in the examples, and their misuse of arenas
	$(call each,$(GOTEST) -short -race ./... && $(GOTEST) -short -tags arenacheck ./...,$(EXAMPLES))

.PHONY: test-next
