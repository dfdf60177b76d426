package advise

import (
	"go/token"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// findRoot returns the function that should own the arena: the innermost exported function, or else the innermost
// function, that reaches nine tenths of the allocations in functions of the packages, or else seven tenths, or half.
// It returns "" if only main, init, tests and generic functions do.
func (a *adviser) findRoot() string {
	under, depth := map[string]float64{}, map[string]float64{}
	all := 0.0
	add := func(frames []profile.Frame, cost float64) {
		at := a.own.first(frames)
		if at < 0 || at > 0 && a.codecs[profile.CutTypes(frames[at-1].Function)] > 0 {
			return
		}
		all += cost
		seen := map[string]bool{}
		for i, f := range frames {
			if _, ok := a.own.Of(f); !ok {
				continue
			}
			name := profile.CutTypes(f.Function)
			if name != outer(name) || seen[name] || isEntry(name) || strings.Contains(f.Function, "[") || strings.HasSuffix(f.File, "_test.go") {
				continue
			}
			seen[name] = true
			under[name] += cost
			depth[name] += float64(i) * cost
		}
	}
	if a.allocs != nil {
		for _, s := range a.allocs.Stacks {
			add(s.Frames, costOf(s.Objects, s.Bytes))
		}
	} else {
		for _, s := range a.cpu.Samples {
			if s.Class == profile.Malloc {
				add(s.Frames, s.Nanos)
			}
		}
	}
	for _, part := range []float64{0.9, 0.7, 0.5} {
		best := ""
		for name, nanos := range under {
			if nanos < part*all {
				continue
			}
			if best == "" || isAPI(name) && !isAPI(best) {
				best = name
				continue
			}
			d, b := depth[name]/nanos, depth[best]/under[best]
			if isAPI(name) == isAPI(best) && (d < b || d == b && name < best) {
				best = name
			}
		}
		if best != "" {
			return best
		}
	}
	return ""
}

// isAPI reports whether a function is exported, with its receiver's type.
func isAPI(name string) bool {
	for part := range strings.SplitSeq(symbol(name), ".") {
		if !token.IsExported(strings.Trim(part, "(*)")) {
			return false
		}
	}
	return true
}

// isEntry reports whether a function is called by the runtime or by tests, and so cannot be a root.
func isEntry(name string) bool {
	last := symbol(name)
	return last == "main" || last == "init" || strings.HasPrefix(last, "Test") || strings.HasPrefix(last, "Benchmark") || strings.HasPrefix(last, "Fuzz")
}
