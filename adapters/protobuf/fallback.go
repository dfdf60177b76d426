package arenapb

import (
	"cmp"
	"slices"
)

// Fallback reports how often messages of one type were decoded by package proto because this package does not
// support the type, and why.
type Fallback struct {
	Message string // full name of the message, or the Go type if it is not a generated message
	Why     string
	Count   uint64
}

// Fallbacks lists the types of messages that package proto had to decode. Such messages are correct, but they
// are on the heap and count in no limit. Calls of Unmarshal with a nil arena are not counted.
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
