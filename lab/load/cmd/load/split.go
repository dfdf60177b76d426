//go:build unix

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// ofMemory matches the runtime's functions for allocation and collection.
var ofMemory = regexp.MustCompile(`^runtime\.(mallocgc|newobject|makeslice|growslice|gc[A-Z]|bgsweep|bgscavenge|bulkBarrier|wbBufFlush|markroot|deductAssistCredit|memclrNoHeapPointersChunked|\(\*(mcache|mcentral|mheap|gcWork)\))`)

// split returns the fractions of a CPU profile spent in the codec, and in allocation and collection. The
// codec's allocations count as memory only.
func split(file string) (codec, memory float64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return 0, 0, err
	}
	var all float64
	for _, s := range p.Sample {
		var names []string
		for _, l := range s.Location {
			for _, line := range l.Line {
				names = append(names, line.Function.Name)
			}
		}
		cpu := float64(s.Value[len(s.Value)-1])
		all += cpu
		switch {
		case slices.ContainsFunc(names, ofMemory.MatchString):
			memory += cpu
		case slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "encoding/json.") }):
			codec += cpu
		}
	}
	return codec / max(all, 1), memory / max(all, 1), nil
}
