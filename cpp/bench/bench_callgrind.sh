#!/bin/sh
# bench_callgrind.sh PATH_OF_BENCH: counts instructions per call of the pools with callgrind, and prints them in Go's
# benchmark format. Each benchmark runs with N and with 2N passes. The difference excludes the start of the program and
# the construction of the pool.
set -eu
bench=${1:?usage: bench_callgrind.sh PATH_OF_BENCH}
command -v valgrind >/dev/null || {
	echo "bench_callgrind.sh: valgrind isn't installed; nothing was counted" >&2
	exit 1
}
# If this is set, the program does not restart itself, which would restart valgrind; see subjects.hpp.
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.rtld.optional_static_tls=16384}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions NAME PASSES
instructions() {
	BENCH_PASSES=$2 valgrind --tool=callgrind --callgrind-out-file="$work/out" \
		"$bench" "--benchmark_filter=^$1/iterations:$2\$" >"$work/said" 2>&1 || {
		# Usually an instruction that valgrind doesn't know.
		tail -n 3 "$work/said" >&2
		return 1
	}
	grep -q ns/op "$work/said" || return 1
	sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$work/out" | head -n 1
}

for workload in ${WORKLOADS:-batch-same rolling random drain}; do
	for size in 16 256; do
		for subject in "lower bound" "ebb trap" "ebb none" "checked vectors" "glibc malloc" mimalloc Boost.Pool; do
			one=$(instructions "matrix/$workload/$size/1K/$subject" 100) || continue
			two=$(instructions "matrix/$workload/$size/1K/$subject" 200) || continue
			echo "$workload $size $(echo "$subject" | tr ' ' '-') $one $two" |
				awk '{ printf "BenchmarkInstructions/%s/%s/%s 1 %.1f instructions/op\n", $1, $2, $3, ($5 - $4) / (100 * 2 * 1024) }'
		done
	done
done
