package figures

import (
	"path"
	"slices"
	"strings"
)

// of its own benchmarks, each named by what is done, the size of an object, how many
// there are, and by whom: matrix/rolling/16/8K/ebb-trap.
func cpp(work, num, den string, most float64) Claim {
	c := Claim{work, "times the time of " + strings.ReplaceAll(den, "-", " "), num, den, AtMost, most}
	if !strings.Contains(num, "*") {
		c.Den = path.Dir(num) + "/" + den
	}
	return c
}

// peers are those that not every machine has.
var peers = []string{"mimalloc", "jemalloc", "tcmalloc", "oneTBB", "foonathan-memory", "protobuf-Arena", "subject=std::pmr", "codec=simdjson_DOM,_C++"}

// Cpp are the claims of cpp/bench, in the order of their table.
var Cpp = slices.Concat([]Claim{
	cpp("trap, batch 16 B", "matrix/batch-*/16/*/ebb-trap", "lower-bound", 1.15),
	cpp("trap, batch 256 B", "matrix/batch-*/256/*/ebb-trap", "lower-bound", 0.3),
	cpp("trap, rolling 16 B", "matrix/rolling/16/*/ebb-trap", "lower-bound", 1.4),
	cpp("trap, rolling 256 B", "matrix/rolling/256/*/ebb-trap", "lower-bound", 1.15),
	cpp("trap, all of the matrix", "matrix/*/*/*/ebb-trap", "lower-bound", 0.95),
	cpp("", "matrix/*/*/*/ebb-trap", "checked-vectors", 0.75),
	cpp("", "matrix/*/*/*/ebb-trap", "glibc-malloc", 0.21),
	cpp("", "matrix/*/*/*/ebb-trap", "mimalloc", 0.45),
	cpp("trap, random victims 256K x 256 B", "matrix/random/256/256K/ebb-trap", "lower-bound", 0.5),
	cpp("trap, shuffled drain 256K x 256 B", "matrix/drain/256/256K/ebb-trap", "lower-bound", 0.2),
	cpp("none, all of the matrix", "matrix/*/*/*/ebb-none", "lower-bound", 0.85),
	{"trap, constructor, 256K x 256 B", "ns", "construct/256/256K/ebb-trap", "", AtMost, 50_000},
	cpp("trap, 24 B and 48 B", "sizes/*/*/*/ebb-trap", "lower-bound", 1.3),
	cpp("", "sizes/*/*/*/ebb-trap", "mimalloc", 0.45),
	cpp("trap, batches after a shuffled drain, 1K and 8K", "aged/*/[18]K/ebb-trap", "lower-bound", 1.5),
	cpp("trap, batches after a shuffled drain, 64K and 256K", "aged/*/[26]*K/ebb-trap", "lower-bound", 0.5),
	cpp("trap, filled and emptied, 128 B and 256 B", "known/*/*/*/ebb-trap", "checked-vectors", 0.85),
	cpp("trap, filled and emptied, the worst cell", "worst:known/*/*/*/ebb-trap", "checked-vectors", 1.05),
	cpp("ebb sync, 2 threads, churn", "sync/churn/ebb-sync", "mimalloc", 0.7),
	cpp("ebb sync, 2 threads, producer-consumer", "sync/hand-over/ebb-sync", "mimalloc", 0.4),
	cpp("arena, 32 B, epochs of 20", "arena/32/20/ebb-arena", "raw-bump", 2),
	cpp("arena, 64 B, epochs of 20", "arena/64/20/ebb-arena", "raw-bump", 2),
	cpp("arena, 32 B, epochs of 1,000", "arena/32/1000/ebb-arena", "raw-bump", 1.25),
	cpp("arena, 64 B, epochs of 1,000", "arena/64/1000/ebb-arena", "raw-bump", 1.25),
	cpp("arena, 32 B, epochs of 16,000", "arena/32/16000/ebb-arena", "raw-bump", 1.25),
	cpp("arena, 64 B, epochs of 16,000", "arena/64/16000/ebb-arena", "raw-bump", 1.25),
	cpp("arena, 64 B with a destructor, epochs of 1,000", "arena/destructor/1000/ebb-arena", "raw-bump", 2.8),
	cpp("", "arena/destructor/1000/ebb-arena", "protobuf-Arena", 0.55),
	cpp("arena, 32 B, epochs of 1,000", "arena/32/1000/ebb-arena", "pmr-buffer", 0.75),
	cpp("arena, documents", "documents/ebb-arena", "glibc-malloc", 0.25),
	cpp("", "documents/ebb-arena", "mimalloc", 0.4),
	// Of containers and trees what was asked for: 1.2 times as fast, or at least 0.9 times.
	cpp("arena, 200 vectors that grow to 1,000", "arena/vectors/1000/ebb-arena", "glibc-malloc", 0.83),
	cpp("", "arena/vectors/1000/ebb-arena", "mimalloc", 0.83),
	cpp("arena, the same by std::pmr", "arena/vectors/1000/ebb-resource", "glibc-malloc", 0.83),
	cpp("", "arena/vectors/1000/ebb-resource", "mimalloc", 0.83),
	cpp("arena, std::pmr::map of 1,000", "arena/map/1000/ebb-resource", "pmr-buffer", 0.83),
	cpp("arena, std::pmr::unordered_map of 1,000", "arena/unordered_map/1000/ebb-resource", "pmr-buffer", 0.83),
	cpp("arena, copies of texts", "arena/text/1000/ebb-arena", "pmr-buffer", 0.83),
	cpp("arena, mixed sizes and alignments", "arena/mixed/1000/ebb-arena", "raw-bump", 1.11),
	cpp("arena, binary tree of depth 17, children first", "arena/tree-children-first/17/ebb-arena", "raw-bump", 1.11),
	cpp("arena, binary tree of depth 17, parents first", "arena/tree-parents-first/17/ebb-arena", "raw-bump", 1.11),
},
	// Other allocators: the best of them counts.
	beside("trap, all of the matrix", "matrix/*/*/*/ebb-trap", 0.7, "jemalloc", "tcmalloc", "oneTBB", "foonathan-memory"),
	beside("arena, 64 B, epochs of 1,000", "arena/64/1000/ebb-arena", 0.7, "mimalloc", "jemalloc", "tcmalloc", "oneTBB"),
	beside("arena, documents", "documents/ebb-arena", 0.7, "jemalloc", "tcmalloc", "oneTBB"),
	beside("ebb sync, 2 threads, larson", "sync/larson/ebb-sync", 0.8, "mimalloc", "jemalloc", "tcmalloc", "oneTBB"),
	beside("ebb sync, 2 threads, mstress", "sync/mstress/ebb-sync", 0.8, "mimalloc", "jemalloc", "tcmalloc", "oneTBB"),
	beside("ebb sync, 2 threads, producer-consumer", "sync/hand-over/ebb-sync", 0.8, "jemalloc", "tcmalloc", "oneTBB"),
)

// beside has the same work beside each of the others.
func beside(work, num string, most float64, others ...string) (all []Claim) {
	for i, den := range others {
		if i > 0 {
			work = ""
		}
		all = append(all, cpp(work, num, den, most))
	}
	return all
}
