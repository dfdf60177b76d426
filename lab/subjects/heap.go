package subjects

import "github.com/ebbpool/arena/lab/workloads"

// heap is ordinary Go: every object is allocated and left to the collector.
// It is the arena's code with a nil arena, which the arena package defines to
// mean the Go heap: new, append and string conversions of the language.
type heap struct{}

func (heap) Serve(dst, payload []byte) ([]byte, error) {
	return workloads.Handle(memory{}, dst, payload)
}
