package access

import (
	"go/types"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// Paths from an argument, a captured variable or a global are distinguished up to MaxDerefs pointers. Beyond, a pointer
// of a kind that the path has already followed is folded; only recursive types have such paths. A path that ends in r2;
// means all objects reached by repeating its last two pointers. So the path of n.One.One.One.One stands for four or
// more Ones. Pointers of different kinds are followed up to MaxHops.

// MaxDerefs is the number of pointers of one kind that a path distinguishes.
const MaxDerefs = 3

// MaxHops is the number of pointers of different kinds that a path follows.
const MaxHops = 8

// Hop is a pointer in an object. A path that repeats a hop is one of a recursive type.
type Hop struct {
	Type string
	Off  string // path within the object
}

// Fold folds a path from root whose last pointer is new.
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
			return path[:strings.Index(path, Recur)+len(Recur)+2] // another repetition
		case cycle != nil:
			return path
		}
	}
	for i := len(hops) - 2; i >= 0; i-- {
		if hops[i] != at {
			continue
		}
		if marker > 0 {
			return before + Anything // a second kind of repetition
		}
		return path + Recur + strconv.Itoa(len(hops)-1-i) + ";"
	}
	return path
}

// hopsOf returns the pointers of a path, and the number of them before its repetition mark, or 0.
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

// repeats returns the number of pointers that the mark of a path repeats. It is one digit, because a path has at most
// MaxHops pointers.
func repeats(path string) int {
	i := strings.Index(path, Recur)
	return int(path[i+len(Recur)] - '0')
}
