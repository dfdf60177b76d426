# What is measured is kept as medians in docs/figures.csv, of which the tables of the pages
# are made; the results themselves are in lab/results, for benchstat.
# They run with the current release; GOTOOLCHAIN= chooses another one.
stress shifting conversions bench bench-json bench-codecs isolation matrix: export GOTOOLCHAIN ?= go1.27.4

stress: ## the load test in full, 45 minutes, into docs/numbers.md and the README
	cd lab/load && $(GO) run ./cmd/load
	cd lab && $(GO) run ./cmd/lab keep load results/load.txt && $(GO) run ./cmd/lab report -publish

shifting: ## pools and servers under a load that shifts, 12 minutes (FOR=1m: shorter), into docs/generated/measurements.md
	cd lab/load && $(GO) run ./cmd/load -shift $(or $(FOR),9m) -out ../results/shifting.txt
	cd lab && $(GO) run ./cmd/lab keep shifting results/shifting.txt

conversions: ## the gains of conversions, without and with live objects, into docs/numbers.md
	cd lab && $(GO) run ./cmd/advice -conversions results/conversions.txt -names handler,sales,dns,template,ledger,workers -rounds 3 -for 2s && $(GO) run ./cmd/lab keep conversions results/conversions.txt
	cd lab && $(GO) run ./cmd/advice -others results/others.txt -rounds 3 -for 2s && $(GO) run ./cmd/lab keep others results/others.txt
	cd lab && $(GO) run ./cmd/advice -automatic results/automatic.txt -rounds 21 -for 200ms && $(GO) run ./cmd/lab keep automatic results/automatic.txt

bench: ## every ratio that is claimed, ROUNDS times, into docs/numbers.md
	cd lab && $(GO) run ./cmd/lab bench -rounds $(ROUNDS) -publish

bench-json: ## arenajson beside the other JSON codecs, ROUNDS times, into docs/generated/json-speed.md
	cd lab && $(GO) generate ./jsonbench/easy
	cd lab && $(GO) run ./cmd/lab json -rounds $(ROUNDS) -publish

bench-codecs: ## the adapters beside what they stand in for, ROUNDS times, into docs/generated/protobuf.md and lab/adapters.md
	cd adapters/protobuf/bench && $(GO) run ./generate
	cd lab && $(GO) run ./cmd/lab codecs -rounds $(ROUNDS) -publish

isolation: ## what isolation costs beside pools without and the heap, ROUNDS times, into docs/generated/isolation.md
	cd lab && $(GO) run ./cmd/lab isolation -rounds $(ROUNDS) -publish

matrix: ## every workload with every subject, by size, into docs/generated/measurements.md (FULL=1: all sizes; BUILD=asan, cover or race: into lab/results)
	cd lab && $(GO) run ./cmd/lab matrix $(if $(FULL),-full -benchtime 200ms) $(if $(BUILD),-build $(BUILD) -out results/matrix-$(BUILD).txt,-publish)

use-after-free: ## what becomes of memory that is used after its epoch, with each subject, in three builds
	cd lab && for flags in "" -race -asan; do $(GO) test -count=1 -v -run UseAfterFree $$flags ./matrix || exit 1; done

report: ## the pictures, and a page with all that is kept: _build/report
	cd lab && $(GO) run ./cmd/lab report -publish

bench-cpp: ## the C++ pools and arena beside what this machine has, into docs/generated/cpp-speed.md
	scripts/cpp-bench.sh

.PHONY: stress shifting conversions bench bench-json bench-codecs isolation matrix use-after-free report bench-cpp
