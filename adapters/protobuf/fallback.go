package arenapb

import (
	"cmp"
	"slices"
)

// Fallback says how often messages of one type were read by package proto itself,
// because this package doesn't know them, and why.
type Fallback struct {
	Message string // the message's full name in protobuf; the Go type where that is not a generated message's
	Why     string
	Count   uint64
}

// Fallbacks lists the types of messages that package proto itself had to read, in
// arenas or not: those messages are right, but lie on the heap, where no limit counts
// them. Messages that Unmarshal read with a nil arena are not counted.
func Fallbacks() []Fallback {
	programsLock.Lock()
	defer programsLock.Unlock()
	var all []Fallback
	for _, p := range programs {
		if n := p.fallbacks.Load(); n != 0 {
			all = append(all, Fallback{string(p.name), p.why, n})
		}
	}
	slices.SortFunc(all, func(x, y Fallback) int { return cmp.Compare(x.Message, y.Message) })
	return all
}
