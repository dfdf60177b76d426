package advise

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// root returns the function that should own the arena: the innermost function that reaches most of the allocations an
// arena would save. It returns "" if only main and tests do.
func (a *adviser) root() string {
	under, depth := map[string]float64{}, map[string]float64{}
	all := 0.0
	for _, s := range a.cpu.Samples {
		if s.Class != profile.Malloc || a.own.first(s.Frames) < 0 || a.site(s.Frames).outcome == Stays {
			continue
		}
		all += s.Nanos
		seen := map[string]bool{}
		for i, f := range s.Frames {
			if _, ok := a.own.Of(f); !ok {
				continue
			}
			name := cutShape(f.Function)
			if name != outer(name) || seen[name] || isEntry(name) {
				continue
			}
			seen[name] = true
			under[name] += s.Nanos
			depth[name] += float64(i) * s.Nanos
		}
	}
	best := ""
	for name, nanos := range under {
		if nanos < 0.9*all {
			continue
		}
		if best == "" || depth[name]/nanos < depth[best]/under[best] || depth[name]/nanos == depth[best]/under[best] && name < best {
			best = name
		}
	}
	return best
}

// isEntry reports whether a function is called by the runtime or by tests, and so cannot be a root.
func isEntry(name string) bool {
	_, last, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	return last == "main" || last == "init" || strings.HasPrefix(last, "Test") || strings.HasPrefix(last, "Benchmark") || strings.HasPrefix(last, "Fuzz")
}
