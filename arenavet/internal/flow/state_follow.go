package flow

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/access"
)

// follow returns what path leads to from v, or nothing beyond the depth of paths. To take everything reachable instead
// would relate unrelated values.
func follow(st *state, v value, path string) value {
	if strings.Contains(path, access.Anything) {
		return nil
	}
	whole := path
	for path != "" {
		i := strings.Index(path, access.Deref)
		if i < 0 {
			return v.sel(path)
		}
		pointers, at := v, path[:i]
		path = path[i+len(access.Deref):]
		off := path
		if j := strings.Index(path, access.Deref); j >= 0 {
			off = path[:j]
		}
		path = strings.TrimPrefix(path, off)
		off, times, again := strings.Cut(off, access.Recur)
		v = nil
		for _, e := range pointers {
			if e.path == at {
				v = v.union(st.load(e.a.Site, e.a.off+off, []access.Leaf{{}}))
			}
		}
		if again {
			done := whole[:len(whole)-len(path)-len(access.Recur)-len(times)]
			v = around(st, v, done, int(times[0]-'0'))
		}
	}
	return v
}

// around follows the last n pointers of path from v any number of times.
func around(st *state, v value, path string, n int) value {
	i := len(path)
	for range n {
		i = strings.LastIndex(path[:i], access.Deref)
	}
	for range maxEntries {
		more := v.union(follow(st, v, path[i:]))
		if len(more) == len(v) {
			break
		}
		v = more
	}
	return v
}
