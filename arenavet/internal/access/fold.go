package access

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// What lies behind an argument, a captured variable or a global is told apart up
// to MaxDerefs pointers. Beyond, a pointer of a kind that the path has already
// followed, which only a recursive type has, is folded: a path that ends in r2;
// stands for all that is reached by its last two pointers, one or more times.
// So n.One.One.One.One lies four or more Ones below n. Pointers of other
// kinds are followed up to MaxHops of them.

// MaxDerefs is how many pointers of a path from an argument are told apart, though
// they are of the same kind.
const MaxDerefs = 3

// MaxHops is how many pointers of different kinds one after another a
// description follows. Those of a recursive type are of the same kind, and
// follow each other without an end.
const MaxHops = 8

// Hop is a pointer of an object. A type is recursive where one path makes the same hop
// twice.
type Hop struct {
	Type string
	Off  string // its place in the object
}

// Fold is path, the last pointer of which is new, as symbols have it; it begins at
// root.
func Fold(root types.Type, path string) string {
	if i := strings.Index(path, Anything); i >= 0 {
		return path[:i+len(Anything)]
	}
	if strings.Count(path, Deref) <= MaxDerefs {
		return path
	}
	last := strings.LastIndex(path, Deref)
	before := path[:last]
	hops, marker := hopsOf(root, path)
	at := hops[len(hops)-1]
	if at.Type == "" || len(hops) > MaxHops {
		return before + Anything // behind an interface, or too far
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
			return path[:strings.Index(path, Recur)+len(Recur)+2] // once more around
		case cycle != nil:
			return path
		}
	}
	for i := len(hops) - 2; i >= 0; i-- {
		if hops[i] != at {
			continue
		}
		if marker > 0 {
			return before + Anything // in a second way
		}
		return path + Recur + strconv.Itoa(len(hops)-1-i) + ";"
	}
	return path
}

// hopsOf are the pointers that a path follows, and how many of them lie before
// its mark of repetition, 0 if it has none.
func hopsOf(root types.Type, path string) (hops []Hop, marker int) {
	at := 0
	for _, off := range strings.Split(path, Deref)[1:] {
		at += strings.Index(path[at:], Deref) + len(Deref)
		h := Hop{catalog.TypeName(TypeAlong(root, path[:at])), off}
		if i := strings.Index(off, Recur); i >= 0 {
			h.Off, marker = off[:i], len(hops)+1
		}
		hops = append(hops, h)
	}
	return hops, marker
}

// repeats is how many pointers the mark of a path repeats: fewer than ten, since
// a path has no more than MaxHops.
func repeats(path string) int {
	i := strings.Index(path, Recur)
	return int(path[i+len(Recur)] - '0')
}
