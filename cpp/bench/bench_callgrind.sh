#!/bin/sh
# Instructions per call, counted by callgrind, beside the shortest time of five
# runs.
#
# Each pair is run with N and with 2N calls; the difference holds neither the
# program's start nor the pool's construction.
#
#   bench_callgrind.sh PATH_OF_BENCH [COUNT] >FILE.csv
set -eu

bench=${1:?usage: bench_callgrind.sh PATH_OF_BENCH [COUNT]}
count=${2:-1024}
calls=$((count * 200))

command -v valgrind >/dev/null || {
    echo "bench_callgrind.sh: valgrind isn't installed; nothing was counted" >&2
    exit 0
}
# With this set the program does not start itself anew, which would start
# valgrind (subjects/shared_malloc.hpp says what it is for).
export GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.rtld.optional_static_tls=16384}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# instructions SUBJECT WORKLOAD SIZE CALLS
instructions() {
    valgrind --tool=callgrind --callgrind-out-file="$work/out" \
        "$bench" --count "$1" "$2" "$3" "$count" "$4" >/dev/null 2>"$work/err" || {
        # Usually an instruction of this processor that valgrind doesn't know.
        tail -n 3 "$work/err" >&2
        return 1
    }
    sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$work/out" | head -n 1
}

# nanoseconds SUBJECT WORKLOAD SIZE CALLS: per call, as the program times it
nanoseconds() {
    for _ in 1 2 3 4 5; do
        "$bench" --count "$1" "$2" "$3" "$count" "$4"
    done | sed -n 's/.* \([0-9.]*\) ns per call/\1/p' | sort -n | head -n 1
}

echo "subject,workload,size,instructions per call,ns per call"
for workload in batch rolling random drain; do
    for size in 16 256; do
        for subject in floor "ebb trap" "ebb none" "checked vectors" "glibc malloc" mimalloc "Boost.Pool"; do
            "$bench" --count "$subject" "$workload" "$size" "$count" "$calls" >/dev/null 2>&1 || continue
            one=$(instructions "$subject" "$workload" "$size" "$calls") || continue
            two=$(instructions "$subject" "$workload" "$size" $((2 * calls))) || continue
            # 100 times as many for the clock, which doesn't slow them down.
            ns=$(nanoseconds "$subject" "$workload" "$size" $((100 * calls)))
            awk -v s="$subject" -v w="$workload" -v z="$size" -v i="$((two - one))" -v t="$ns" -v n="$calls" \
                'BEGIN { printf "%s,%s,%d,%.1f,%s\n", s, w, z, i / n, t }'
        done
    done
done
