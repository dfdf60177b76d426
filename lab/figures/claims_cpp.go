package figures

import (
	"path"
	"slices"
	"strings"
)

// cpp returns a claim about benchmarks of cpp/bench. Their names have the operation, the size of an object, the number of
// objects, and the subject: matrix/rolling/16/8K/ebb-trap.
func cpp(work, num, den string) Claim {
	c := Claim{work, "times the time of " + strings.ReplaceAll(den, "-", " "), num, den}
	if !strings.Contains(num, "*") {
		c.Den = path.Dir(num) + "/" + den
	}
	return c
}

// peers are the alternatives that may be missing on a machine.
var peers = []string{"mimalloc", "jemalloc", "tcmalloc", "oneTBB", "foonathan-memory", "protobuf-Arena", "subject=std::pmr", "codec=simdjson_DOM,_C++"}

// Cpp lists the claims of cpp/bench, in the order of their table.
var Cpp = slices.Concat([]Claim{
	cpp("trap, batch 16 B", "matrix/batch-*/16/*/ebb-trap", "lower-bound"),
	cpp("trap, batch 256 B", "matrix/batch-*/256/*/ebb-trap", "lower-bound"),
	cpp("trap, rolling 16 B", "matrix/rolling/16/*/ebb-trap", "lower-bound"),
	cpp("trap, rolling 256 B", "matrix/rolling/256/*/ebb-trap", "lower-bound"),
	cpp("trap, all of the matrix", "matrix/*/*/*/ebb-trap", "lower-bound"),
	cpp("", "matrix/*/*/*/ebb-trap", "checked-vectors"),
	cpp("", "matrix/*/*/*/ebb-trap", "glibc-malloc"),
	cpp("", "matrix/*/*/*/ebb-trap", "mimalloc"),
	cpp("trap, random victims 256K x 256 B", "matrix/random/256/256K/ebb-trap", "lower-bound"),
	cpp("trap, shuffled drain 256K x 256 B", "matrix/drain/256/256K/ebb-trap", "lower-bound"),
	cpp("none, all of the matrix", "matrix/*/*/*/ebb-none", "lower-bound"),
	{"trap, constructor, 256K x 256 B", "ns", "construct/256/256K/ebb-trap", ""},
	cpp("trap, 24 B and 48 B", "sizes/*/*/*/ebb-trap", "lower-bound"),
	cpp("", "sizes/*/*/*/ebb-trap", "mimalloc"),
	cpp("trap, batches after a shuffled drain, 1K and 8K", "aged/*/[18]K/ebb-trap", "lower-bound"),
	cpp("trap, batches after a shuffled drain, 64K and 256K", "aged/*/[26]*K/ebb-trap", "lower-bound"),
	cpp("trap, filled and emptied, 128 B and 256 B", "known/*/*/*/ebb-trap", "checked-vectors"),
	cpp("trap, filled and emptied, the worst cell", "worst:known/*/*/*/ebb-trap", "checked-vectors"),
	cpp("ebb sync, 2 threads, churn", "sync/churn/ebb-sync", "mimalloc"),
	cpp("ebb sync, 2 threads, producer-consumer", "sync/hand-over/ebb-sync", "mimalloc"),
	cpp("arena, 32 B, cycles of 20", "arena/32/20/ebb-arena", "raw-bump"),
	cpp("arena, 64 B, cycles of 20", "arena/64/20/ebb-arena", "raw-bump"),
	cpp("arena, 32 B, cycles of 1,000", "arena/32/1000/ebb-arena", "raw-bump"),
	cpp("arena, 64 B, cycles of 1,000", "arena/64/1000/ebb-arena", "raw-bump"),
	cpp("arena, 32 B, cycles of 16,000", "arena/32/16000/ebb-arena", "raw-bump"),
	cpp("arena, 64 B, cycles of 16,000", "arena/64/16000/ebb-arena", "raw-bump"),
	cpp("arena, 64 B with a destructor, cycles of 1,000", "arena/destructor/1000/ebb-arena", "raw-bump"),
	cpp("", "arena/destructor/1000/ebb-arena", "protobuf-Arena"),
	cpp("arena, 32 B, cycles of 1,000", "arena/32/1000/ebb-arena", "pmr-buffer"),
	cpp("sync arena, 2 threads, 64 B", "arena/two-threads-64/100000/ebb-sync-arena", "protobuf-Arena"),
	cpp("arena, documents", "documents/ebb-arena", "glibc-malloc"),
	cpp("", "documents/ebb-arena", "mimalloc"),
	cpp("arena, 200 vectors that grow to 1,000", "arena/vectors/1000/ebb-arena", "glibc-malloc"),
	cpp("", "arena/vectors/1000/ebb-arena", "mimalloc"),
	cpp("arena, the same if their addresses escape", "arena/vectors-escaping/1000/ebb-arena", "glibc-malloc"),
	cpp("arena, the same by std::pmr", "arena/vectors/1000/ebb-resource", "glibc-malloc"),
	cpp("", "arena/vectors/1000/ebb-resource", "mimalloc"),
	cpp("", "arena/vectors/1000/ebb-resource", "pmr-heap"),
	cpp("arena, std::pmr::map of 1,000", "arena/map/1000/ebb-resource", "pmr-buffer"),
	cpp("arena, std::pmr::unordered_map of 1,000", "arena/unordered_map/1000/ebb-resource", "pmr-buffer"),
	cpp("arena, copies of texts", "arena/text/1000/ebb-arena", "pmr-buffer"),
	cpp("arena, mixed sizes and alignments", "arena/mixed/1000/ebb-arena", "raw-bump"),
	cpp("arena, binary tree of depth 17, children first", "arena/tree-children-first/17/ebb-arena", "raw-bump"),
	cpp("arena, binary tree of depth 17, parents first", "arena/tree-parents-first/17/ebb-arena", "raw-bump"),
},
	// Other allocators.
	beside("trap, all of the matrix", "matrix/*/*/*/ebb-trap", "jemalloc", "tcmalloc", "oneTBB", "foonathan-memory"),
	beside("arena, 64 B, cycles of 1,000", "arena/64/1000/ebb-arena", "mimalloc", "jemalloc", "tcmalloc", "oneTBB"),
	beside("arena, documents", "documents/ebb-arena", "jemalloc", "tcmalloc", "oneTBB"),
	beside("ebb sync, 2 threads, larson", "sync/larson/ebb-sync", "mimalloc", "jemalloc", "tcmalloc", "oneTBB"),
	beside("ebb sync, 2 threads, mstress", "sync/mstress/ebb-sync", "mimalloc", "jemalloc", "tcmalloc", "oneTBB"),
	beside("ebb sync, 2 threads, producer-consumer", "sync/hand-over/ebb-sync", "jemalloc", "tcmalloc", "oneTBB"),
)

// beside compares the same work with each of the others.
func beside(work, num string, others ...string) (all []Claim) {
	for i, den := range others {
		if i > 0 {
			work = ""
		}
		all = append(all, cpp(work, num, den))
	}
	return all
}
