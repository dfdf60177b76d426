package flow

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// maxChain is how many pointers of different kinds one after another a
// description follows. Those of a recursive type are of the same kind, and
// follow each other without an end.
const maxChain = 8

// hop is a pointer of an object: its type and the place in it. That the same
// hop is made twice on one path is what makes a type recursive.
type hop struct{ typ, off string }

// visit is an object that a description is still to look into.
type visit struct {
	v    value
	path string
	hops []hop
	at   []string // where each of the hops led to
}

// flows describes v, the objects of the function itself that it leads to
// included. A path that makes a hop for the second time goes on where the first
// one led to: objects of a recursive type are told apart from the first of them
// only, however deep they lie. An object that was described stands for itself
// wherever else it is found. Near objects come first, so that of a value that
// leads to too many the far ones are lost.
func (f *function) flows(st *state, v value, path string) []Flow {
	var out []Flow
	note := func(fl Flow) {
		if len(out) < maxSummary && !slices.Contains(out, fl) {
			out = append(out, fl)
		}
	}
	type described struct{ path, off string }
	seen := map[*Site]described{}
	queue := []visit{{v: v, path: path}}
	for len(queue) > 0 && len(out) < maxSummary {
		n := queue[0]
		queue = queue[1:]
		for _, e := range n.v {
			at := n.path + e.path
			if src, ok := f.source(e.a); ok {
				note(Flow{at, src})
			}
			k := e.a.Site
			body := k.fn != nil && f.carries(k)
			if body {
				note(Flow{at, Source{Kind: Body, fn: k.fn}})
			}
			if k.Kind != LocalSite && k.Kind != MemorySite || k.fn != nil && !body {
				continue
			}
			if d, ok := seen[k]; ok {
				if d.off == e.a.off && d.path != at && !body {
					note(Flow{at, Source{Kind: Again, At: Place{Param: -1, Path: d.path}}})
				}
				continue
			}
			if len(n.hops) >= maxChain {
				continue
			}
			seen[k] = described{at, e.a.off}
			for _, off := range sortedKeys(st.parts(k)) {
				rest, ok := strings.CutPrefix(off, e.a.off)
				if !ok {
					continue
				}
				var inner value
				for _, a := range st.parts(k)[off] {
					inner = inner.add(entry{"", a})
				}
				next := visit{inner, at + deref + rest, append(n.hops[:len(n.hops):len(n.hops)], hop{k.typ, off}), append(n.at[:len(n.at):len(n.at)], at+deref+rest)}
				if i := slices.Index(n.hops, hop{k.typ, off}); i >= 0 {
					note(Flow{next.path, Source{Kind: Again, At: Place{Param: -1, Path: n.at[i]}}})
					next.path, next.hops, next.at = n.at[i], n.hops[:i+1], n.at[:i+1]
				}
				queue = append(queue, next)
			}
		}
	}
	// What leads nowhere else says nothing.
	return slices.DeleteFunc(out, func(fl Flow) bool {
		return fl.From.Kind == Again && !slices.ContainsFunc(out, func(x Flow) bool {
			return x.From.Kind != Again && strings.HasPrefix(x.Path, fl.From.At.Path)
		})
	})
}

// flowsOnly is how many of flows are more than a way back to the others.
func flowsOnly(flows []Flow) int {
	n := 0
	for _, fl := range flows {
		if fl.From.Kind != Again {
			n++
		}
	}
	return n
}

// typeAlong is the type of what path leads to from a value of type t, or nil where
// that is not known, as behind an interface. That of a slice or a map is what
// its elements lie in.
func typeAlong(t types.Type, path string) types.Type {
	for path != "" && t != nil {
		step, rest, _ := strings.Cut(path, ";")
		path = rest
		n, _ := strconv.Atoi(step[1:])
		if step[0] == 'r' {
			continue
		}
		switch u := types.Unalias(t).Underlying().(type) {
		case *types.Pointer:
			if step != "*" {
				return nil
			}
			t = u.Elem()
		case *types.Slice:
			if step == "e" {
				t = u.Elem()
			}
		case *types.Map:
			switch step {
			case "e":
				t = u.Elem()
			case "k":
				t = u.Key()
			}
		case *types.Array:
			t = u.Elem()
		case *types.Struct:
			if step[0] != 'f' || n >= u.NumFields() {
				return nil
			}
			t = u.Field(n).Type()
		case *types.Tuple:
			if n >= u.Len() {
				return nil
			}
			t = u.At(n).Type()
		case *types.Interface:
			if m := received(t); step == "e" && m != nil {
				t = m // which the stream holds
			} else if m == nil || step != "*" {
				return nil
			}
		default:
			return nil
		}
	}
	return t
}
