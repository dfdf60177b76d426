# The C++ half.

test-cpp: test-cpp-release test-cpp-asan test-cpp-tsan test-cpp-clang ## all tests of the C++ half

# The test "mixed" compiles most headers with several sets of options, for test-cpp-compilers.
test-cpp-release: ## as users build it, with the system's compiler
	scripts/cpp.sh tests -E '^mixed$$'

test-cpp-asan: ## AddressSanitizer and UndefinedBehaviorSanitizer: accesses outside of objects, undefined behavior
	scripts/cpp.sh asan

test-cpp-tsan: ## ThreadSanitizer: data races
	scripts/cpp.sh tsan

test-cpp-clang: ## clang: code that only gcc accepts, or that relies on how gcc optimizes
	scripts/cpp.sh clang-tests

test-cpp-docs: ## undocumented names, and blocks of cpp/README.md that do not compile
	scripts/cpp-blocks.sh
	scripts/cpp-docs.sh

test-cpp-bench: ## the benchmarks: those that no longer build or run
	scripts/cpp.sh bench

test-cpp-fuzz: ## fuzzing against the model for 10 minutes
	FUZZSECONDS=600 scripts/cpp.sh fuzz

test-cpp-compilers: ## every gcc and clang that Debian has
	scripts/cpp-compilers.sh -all
	cpp/test/mixed/run.sh $${CXX:-c++}

test-cpp-cross: ## other processors, emulated
	scripts/cpp-cross.sh aarch64 riscv64 s390x i686

test-cpp-packages: ## installation by FetchContent, Conan and vcpkg
	scripts/cpp-packages.sh

test-cpp-peers: ## the tests of other people's arenas and pools on ours, with sources fetched from Debian
	scripts/cpp-peers.sh

test-cpp-style: ## clang-format and clang-tidy
	scripts/cpp-style.sh

cpp-docs: test-cpp-docs ## the reference of the C++ half: cpp/build/docs/html

cpp-single: ## regenerate cpp/single/ebbpool.hpp
	scripts/cpp-single.sh

.PHONY: test-cpp cpp-docs cpp-single
