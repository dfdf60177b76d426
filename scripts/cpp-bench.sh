#!/bin/sh
# cpp-bench.sh: measures the C++ pools beside the floor and their peers, with
# gcc and, where there is one, clang; keeps the rounds in docs/ and makes the
# tables of docs/generated/cpp-speed.md from them. Takes about ten minutes; the machine should
# do nothing else.
set -eu
cd "$(dirname "$0")/.."
export CXX="${CXX:-g++}"
scripts/cpp.sh bench -N
cpp/build/release/bench --claims docs/cpp-gcc.csv
scripts/cpp.sh clang -N
if [ -x cpp/build/clang/bench ]; then
	cpp/build/clang/bench --claims docs/cpp-clang.csv
fi
cpp/bench/bench_callgrind.sh cpp/build/release/bench >docs/cpp-instructions.csv.new
# Where valgrind is missing, or can't run the program, the old counts stay.
if [ "$(wc -l <docs/cpp-instructions.csv.new)" -gt 1 ]; then
	mv docs/cpp-instructions.csv.new docs/cpp-instructions.csv
else
	rm docs/cpp-instructions.csv.new
fi
make cpp-tables
