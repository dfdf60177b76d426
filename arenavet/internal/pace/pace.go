// Package pace has the garbage collector of a short program start late.
package pace

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Floor lets the heap grow by at least this many bytes between two collections, and by 50 % if that is more.
// go vet starts an analyzer for each package, which often ends before it needs half of that. Collections took
// a third of its time.
func Floor(bytes uint64) {
	debug.SetGCPercent(percent(bytes, 4<<20)) // GOGC at the runtime's initial heap size
	again(bytes)
}

// again adjusts GOGC after each collection, which finalizes an object.
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

// percent returns the GOGC with which a heap of live bytes grows by at least bytes.
func percent(bytes, live uint64) int {
	return int(max(50, min(10_000, 100*bytes/max(live, 1))))
}
