package flow

import (
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// What lies behind an argument, a captured variable or a global is told apart up
// to maxDerefs pointers. Beyond, a pointer of a kind that the path has already
// followed, which only a recursive type has, is folded: a path that ends in r2;
// stands for all that is reached by its last two pointers, one or more times.
// So n.One.One.One.One is what lies four or more Ones below n. Pointers of other
// kinds are followed up to maxChain of them.

// fold is path, the last pointer of which is new, as symbols have it.
func fold(root ssa.Value, path string) string {
	if i := strings.Index(path, any_); i >= 0 {
		return path[:i+len(any_)]
	}
	if strings.Count(path, deref) <= maxDerefs {
		return path
	}
	last := strings.LastIndex(path, deref)
	before := path[:last]
	hops, marker := hopsOf(root, path)
	at := hops[len(hops)-1]
	if at.typ == "" || len(hops) > maxChain {
		return before + any_ // behind an interface, or too far
	}
	if marker > 0 {
		cycle, tail := hops[marker-repeats(before):marker], hops[marker:]
		for i, h := range tail {
			if i >= len(cycle) || h != cycle[i] {
				cycle = nil
				break
			}
		}
		switch {
		case len(cycle) == len(tail):
			return path[:strings.Index(path, recur)+len(recur)+2] // once more around
		case cycle != nil:
			return path
		}
	}
	for i := len(hops) - 2; i >= 0; i-- {
		if hops[i] != at {
			continue
		}
		if marker > 0 {
			return before + any_ // in a second way
		}
		return path + recur + strconv.Itoa(len(hops)-1-i) + ";"
	}
	return path
}

// hopsOf are the pointers that a path follows, and how many of them lie before
// its mark of repetition, 0 if it has none.
func hopsOf(root ssa.Value, path string) (hops []hop, marker int) {
	at := 0
	for _, off := range strings.Split(path, deref)[1:] {
		at += strings.Index(path[at:], deref) + len(deref)
		h := hop{catalog.TypeName(typeAlong(root.Type(), path[:at])), off}
		if i := strings.Index(off, recur); i >= 0 {
			h.off, marker = off[:i], len(hops)+1
		}
		hops = append(hops, h)
	}
	return hops, marker
}

// repeats is how many pointers the mark of a path repeats: fewer than ten, since
// a path has no more than maxChain.
func repeats(path string) int {
	i := strings.Index(path, recur)
	return int(path[i+len(recur)] - '0')
}

// maxDerefs is how many pointers of a path from an argument are told apart, though
// they are of the same kind.
const maxDerefs = 3

// maxChain is how many pointers of different kinds one after another a
// description follows. Those of a recursive type are of the same kind, and
// follow each other without an end.
const maxChain = 8

// hop is a pointer of an object: its type and the place in it. That the same
// hop is made twice on one path is what makes a type recursive.
type hop struct{ typ, off string }
