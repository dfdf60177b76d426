# The C++ half.
test-cpp: $(filter test-cpp-%,$(QUICK) $(REMAINING)) ## all of the C++ half that test-all has

# Objects of different options are mixed in test-all: here their compilation would be a
# quarter of the time.
test-cpp-release: ## the C++ half as users build it, by the system's compiler
	scripts/cpp.sh tests -E '^mixed$$'

test-cpp-bench: ## that its benchmarks build and run
	scripts/cpp.sh bench

test-cpp-asan: ## the C++ half under AddressSanitizer and UndefinedBehaviorSanitizer
	scripts/cpp.sh asan

test-cpp-tsan: ## the C++ half's threads under ThreadSanitizer
	scripts/cpp.sh tsan

test-cpp-clang: ## the C++ half by clang
	scripts/cpp.sh clang-tests

test-cpp-fuzz: ## 20 s of fuzzing the C++ half
	FUZZSECONDS=20 scripts/cpp.sh fuzz

test-cpp-compilers: ## one program with all of the C++ half, by every gcc and clang that is here
	scripts/cpp-compilers.sh
	cpp/test/mixed/run.sh $${CXX:-c++}

test-cpp-cross: ## the same program on other processors, cross-built and emulated, where the compilers are
	scripts/cpp-cross.sh -quick aarch64 riscv64 s390x i686

test-cpp-packages: ## the C++ half by FetchContent, Conan and vcpkg
	scripts/cpp-packages.sh

test-cpp-blocks: ## each block of C++ of cpp/README.md, as a program
	scripts/cpp-blocks.sh

test-cpp-peers: ## what libstdc++, libc++, Boost and protobuf test theirs with, on ours: fetched from Debian, never committed
	scripts/cpp-peers.sh

test-cpp-docs: ## that all of the C++ half is documented
	scripts/cpp-docs.sh

test-cpp-style: ## clang-format and clang-tidy
	scripts/cpp-style.sh

cpp-docs: test-cpp-docs ## the reference of the C++ half, by Doxygen: cpp/build/docs/html

cpp-single: ## cpp/single/ebbpool.hpp anew, from the headers
	scripts/cpp-single.sh

test-cpp-compilers-all: ## the C++ half's tests by every clang that Debian has
	scripts/cpp-compilers.sh -all

test-cpp-cross-all: ## the C++ half's tests on other processors, cross-built and emulated, where the compilers are
	scripts/cpp-cross.sh aarch64 riscv64 s390x i686
