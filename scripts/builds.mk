# The suite in builds of other kinds, for other processors and by other Gos.

# All packages for the system that is least like the others; for those only what has
# files of their own, since each needs the standard library anew. WebAssembly and 32 bits
# have a part that runs them.
SYSTEMS = ./internal/check ./internal/suite ./internal/testkit/turns ./internal/machine ./internal/goroutine
test-vet: tools ## go vet for other systems and builds
	$(GO) vet -tags arenaportable $(ROOT)
	$(GO) vet -tags arenacheck $(ROOT)
	CGO_ENABLED=0 GOOS=windows $(GO) vet $(ROOT)
	for system in windows/amd64 darwin/arm64 freebsd/amd64; do \
		for tags in "" arenacheck; do \
			CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) vet -tags "$$tags" $(SYSTEMS) || exit 1; \
		done; \
	done
	CGO_ENABLED=0 GOOS=ios GOARCH=arm64 $(GO) build . # vet would need Apple's linker

test-portable: tools ## the suite on the fallback that assumes nothing of the runtime
	$(GO) test $(TESTFLAGS) $(SHORT) -tags arenaportable $(SUITES) $(MACHINE) $(ABOVE) ./internal/goroutine ./internal/smallmap ./internal/swiss

test-nolayout: tools ## the suite as if the check at start-up had failed
	$(GO) test $(TESTFLAGS) $(SHORT) $(SUITES) -args -nolayout

test-check: tools ## the suite with all checks for misuse (tag arenacheck)
	$(GO) test $(TESTFLAGS) $(FEWER) -tags arenacheck $(SUITES) -args -nospeed
	$(if $(SHORT),$(GO) test $(TESTFLAGS) -short -run '$(MANY)' -tags arenacheck ./internal/suite)
	$(GO) test $(TESTFLAGS) $(SHORT) $(LESSER) -tags arenacheck $(MACHINE) $(ABOVE)

test-check-off: tools ## the same build with memory used again
	EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) $(SHORT) -tags arenacheck $(SUITES) -args -nospeed
	EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) $(SHORT) -tags arenacheck $(MACHINE)

test-debug: tools ## the suite without optimization, as in a debugger
	$(GO) test $(TESTFLAGS) $(SHORT) $(LESSER) -gcflags='github.com/ebbpool/arena/...=-N -l' $(SUITES) -args -nospeed
	$(GO) test $(TESTFLAGS) $(LESSER) -gcflags='-N -l' $(MACHINE)

# In our packages: the standard library has them under the race detector.
CHECKPTR = -gcflags=github.com/ebbpool/arena/...=-d=checkptr
test-checkptr: tools ## the suite with the compiler's checks of unsafe
	$(GO) test $(TESTFLAGS) $(SHORT) $(LESSER) $(CHECKPTR) $(SUITES) $(ABOVE) -args -nospeed
	$(GO) test $(TESTFLAGS) $(LESSER) $(CHECKPTR) $(MACHINE)

# Once as arenas are in such a build, and once as they are without its checks for misuse. The
# adapters have their turn in test-adapters-builds.
test-race-quick: tools ## where goroutines meet, under the race detector
	$(GO) test $(TESTFLAGS) -short -race . ./internal/suite $(MACHINE) ./arenahttp
	EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) -short -race -run '$(MEET)' . ./internal/suite $(MACHINE)
MEET = Concurrent|Fork|Goroutine|Keep|Leak|Limit|Pool|Shared|Steady|Sync|Together

test-race: tools ## the suite under the race detector, with its checks for misuse
	$(GO) test $(TESTFLAGS) $(SHORT) -race $(SUITES) $(MACHINE) ./arenahttp
	$(GO) test $(TESTFLAGS) $(SHORT) -race $(LESSER) $(REST)

test-race-off: tools ## the same build with memory used again
	EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) $(SHORT) -race $(SUITES) $(MACHINE)

test-race-check: tools ## the race detector with all checks for misuse
	$(GO) test $(TESTFLAGS) $(SHORT) -race -tags arenacheck $(SUITES) $(MACHINE)

ASAN = AddressSanitizer (needs a C compiler with libasan, as gcc 7 or clang)
test-asan: tools ## the suite under AddressSanitizer, with its checks for misuse
	scripts/test-if-buildable.sh "$(ASAN)" \
		env CGO_ENABLED=1 $(GO) test $(TESTFLAGS) $(SHORT) -asan $(SUITES) $(MACHINE) ./arenahttp
	scripts/test-if-buildable.sh "$(ASAN)" \
		env CGO_ENABLED=1 $(GO) test $(TESTFLAGS) $(SHORT) -asan $(LESSER) $(REST)

test-asan-off: tools ## the same build with memory used again
	scripts/test-if-buildable.sh "$(ASAN)" \
		env CGO_ENABLED=1 EBBPOOL_CHECKED=off $(GO) test $(TESTFLAGS) $(SHORT) -asan $(SUITES) $(MACHINE)

test-asan-check: tools ## AddressSanitizer with all checks for misuse
	scripts/test-if-buildable.sh "$(ASAN)" \
		env CGO_ENABLED=1 $(GO) test $(TESTFLAGS) $(SHORT) -asan -tags arenacheck $(SUITES) $(MACHINE)

test-386: tools ## the suite on 32 bits, where the machine can run it
	scripts/test-if-buildable.sh "386 (needs a machine that runs 32-bit x86 programs)" \
		env CGO_ENABLED=0 GOARCH=386 $(GO) test $(TESTFLAGS) $(SHORT) $(ROOT)

# An emulated processor runs a tenth as fast, or less: only what the processor can make a
# difference to, with few rounds of what is random (testkit.Rounds), and without the tests
# of what it makes none to and that take the longest: how much pools retain, which is
# counted, what the runtime does with memory that is no object of its own, and what a
# connection does. All of that is in test-386, too. SHORT= is for all of it.
EMULATED = $(if $(SHORT),$(SHORT) -skip '$(SLOW)' . ./fixedpool ./internal/suite ./internal/goroutine ./internal/smallmap ./internal/swiss ./internal/suite/model $(MACHINE) $(ABOVE),$(ROOT))
SLOW = $(HEAVY)|^TestUnderHostileCollector$$|^TestStrictAsModel$$|^TestMarshalOfTheRest$$|^TestSparesAgainstTheModel$$|^TestPoolIsWarmAfterAPause$$|^TestCollectorAPIOnArenaMemory$$|^TestSyncInArenaMemory$$|^TestHeadersOfAServer$$|^TestHandmadeTimeouts$$|^TestTimeoutHandlerRecycles$$

# But on s390x without codecs and handlers: of a processor they know the size and order of words,
# and whether it multiplies and adds in one, which test-386 and test-s390x have. (CI's machine
# with ARM runs make test.)
test-arm64: tools ## the suite on ARM of 64 bits, emulated by qemu where there is one (SHORT= for all of it)
	scripts/emulated.sh arm64 $(GO) test $(TESTFLAGS) $(if $(SHORT),$(filter-out $(ABOVE),$(EMULATED)),$(EMULATED))

test-arm: tools ## the same on ARM of 32 bits
	scripts/emulated.sh arm $(GO) test $(TESTFLAGS) $(if $(SHORT),$(filter-out $(ABOVE),$(EMULATED)),$(EMULATED))

test-s390x: tools ## the same on a big-endian machine, with codecs and handlers
	scripts/emulated.sh s390x $(GO) test $(TESTFLAGS) $(EMULATED)

test-wasm: tools ## the same as WebAssembly, in wazero
	scripts/emulated.sh wasm $(GO) test $(TESTFLAGS) $(if $(SHORT),$(filter-out $(ABOVE),$(EMULATED)),$(EMULATED))

WITH_GO = $(GO) test $(TESTFLAGS) $(SHORT) $(SUITES) $(MACHINE) $(ABOVE) ./docs ./arenapprof ./arenavar
test-go-oldest: tools ## the suite on the oldest Go that is promised
	scripts/test-with-go.sh $(OLDEST) $(WITH_GO)

test-go-newest: tools ## the suite, and what reads profiles, on the newest Go, where it can be had
	scripts/test-with-go.sh $(NEWEST) $(WITH_GO)
	cd arenavet && GOWORK=off ../scripts/test-with-go.sh $(NEWEST) $(GO) test $(TESTFLAGS) -short ./internal/advise/... ./internal/profile/...

# One run of each benchmark, none of which is measured: they must not rot in a build
# that nobody measures.
ONCE = -bench=. -benchtime=1x -cover -benchmem

test-benches: tools ## every benchmark once, with all checks for misuse
	$(GO) test $(TESTFLAGS) -run='^$$' $(ONCE) -tags arenacheck ./internal/bench

# Without -short, as it is documented: the race detector's takes over an hour.
HOURS = -timeout 5h
test-experiment: tools ## the command that the experiment with arenas in Go documents, and the same in the other checked builds
	scripts/test-if-buildable.sh "AddressSanitizer (needs a C compiler with libasan, as gcc 7 or clang)" \
		env CGO_ENABLED=1 GOEXPERIMENT=arenas $(GO) test $(TESTFLAGS) $(HOURS) -asan -v $(ROOT) -run=. $(ONCE)
	GOEXPERIMENT=arenas $(GO) test $(TESTFLAGS) $(HOURS) -race -v $(ROOT) -run=. $(ONCE)
	GOEXPERIMENT=arenas $(GO) test $(TESTFLAGS) $(HOURS) -tags arenacheck -v $(ROOT) -run=. $(ONCE)
