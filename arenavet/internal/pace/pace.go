// Package pace has the garbage collector of a short program start late.
package pace

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Floor lets the heap grow to this many bytes between two collections, whatever lives, and as
// far as GOGC=100 does where that is more. go vet starts an analyzer for each package, which is
// over before half of that is used: collecting was a third of its time.
func Floor(bytes uint64) {
	debug.SetGCPercent(percent(bytes, 4<<20)) // what the runtime begins with
	again(bytes)
}

// again sets the collector's pace anew after each collection, which finalizes an object.
func again(bytes uint64) {
	runtime.SetFinalizer(new([16]*byte), func(*[16]*byte) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		live := bytes
		if sample[0].Value.Kind() == metrics.KindUint64 {
			live = sample[0].Value.Uint64()
		}
		debug.SetGCPercent(percent(bytes, live))
		again(bytes)
	})
}

// percent is the GOGC with which a heap of live bytes grows to at least so many.
func percent(bytes, live uint64) int {
	return int(max(100, min(10_000, 100*bytes/max(live, 1))))
}
