// Package matrix measures every workload with every subject that is made for
// it, and keeps each measurement as it was made.
//
// A measurement is a process of its own: no subject meets a heap that another
// has shaped, and one that crashes is a result like any other.
package matrix

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/prometheus/procfs"

	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// Cell is one kind of measurement: a workload of a size with a subject, in a
// build.
type Cell struct {
	Workload string
	N        int
	Subject  string
	Build    string // a Build's name; "" is the plain one
}

func (c Cell) String() string {
	text := fmt.Sprintf("%s n=%d, %s", c.Workload, c.N, c.Subject)
	if c.Build != "" {
		text += ", " + c.Build
	}
	return text
}

// Names of what is measured, as the CSV has them.
const (
	NsPerOp     = "ns/op"     // an operation's time
	AllocsPerOp = "allocs/op" // on the Go heap
	BytesPerOp  = "B/op"      // on the Go heap
	PeakRSS     = "peak-B"    // the whole process's
	ResidentRSS = "resident-B"
	WrongReads  = "wrong" // objects that read back wrong
	LiveBytes   = "Alloc-B"
	TotalBytes  = "TotalAlloc-B"
	SystemBytes = "Sys-B"
	Collections = "NumGC"
)

// Value is one number that was measured.
type Value struct {
	Metric string
	Value  float64
}

// Outcome is what one process measured.
type Outcome struct {
	Checksum uint64
	Values   []Value
	// Problem says that the subject did not do the work: operations of one
	// process gave different checksums.
	Problem string `json:",omitempty"`
}

// ErrUnfit tells that a subject is not made for a workload.
var ErrUnfit = errors.New("the subject is not made for this workload")

// warmLives is how many operations come before the measured ones. Allocators
// that fit their chunks to what the life before has needed are settled in the
// third.
const warmLives = 3

// longWarmUp is the time after which no other one is begun: an operation that
// takes so long has many lives in it, and settles in the first of them.
const longWarmUp = time.Second

// Measure carries out operations of a cell in this process until they have
// taken least, after a few that warm up.
func Measure(c Cell, least time.Duration) (Outcome, error) {
	return measure(c, least, func() {})
}

// measure calls turn before it times anything.
func measure(c Cell, least time.Duration, turn func()) (Outcome, error) {
	w, err := workloads.Find(c.Workload)
	if err != nil {
		return Outcome{}, err
	}
	a, err := subjects.FindAllocator(c.Subject)
	if err != nil {
		return Outcome{}, err
	}
	run, ok := w.Bind(a.New())
	if !ok {
		return Outcome{}, fmt.Errorf("%s: %w", c, ErrUnfit)
	}
	if w.Procs != nil {
		runtime.GOMAXPROCS(w.Procs(c.N))
	}
	switch w.Kind {
	case workloads.Reads:
		return reads(run, c.N), nil
	case workloads.Collect:
		return collect(run, c.N), nil
	}
	o := timed(run, c.N, least, turn)
	if w.Kind == workloads.Resident {
		// What the subject alone keeps: all else goes back to the system.
		debug.FreeOSMemory()
		o.Values = append(o.Values, Value{ResidentRSS, float64(memory().VmRSS)})
		runtime.KeepAlive(run)
	}
	return o, nil
}

// mem is read in place: a MemStats is 6 KB.
var before, after runtime.MemStats

func timed(run workloads.Run, n int, least time.Duration, turn func()) Outcome {
	begun := time.Now()
	o := Outcome{Checksum: run(n, &workloads.Watch{})}
	for i := 1; i < warmLives && time.Since(begun) < longWarmUp; i++ {
		run(n, &workloads.Watch{})
	}
	turn()
	// The tables and the warm-up left garbage: let a collection that is due
	// end before the clock starts.
	runtime.GC()
	w := new(workloads.Watch) // one for all: its memory is not the subject's
	runtime.ReadMemStats(&before)
	var spent, paused time.Duration
	ops := 0
	for ops == 0 || spent < least {
		*w = workloads.Watch{}
		start := time.Now()
		sum := run(n, w)
		spent += time.Since(start) - w.Paused()
		paused += w.Paused()
		ops++
		if sum != o.Checksum {
			o.Problem = fmt.Sprintf("operation %d gave the checksum %x, the first %x", ops, sum, o.Checksum)
			return o
		}
		if ops >= 10 && paused > 2*least { // next to no time is the subject's
			break
		}
	}
	runtime.ReadMemStats(&after)
	per := func(v float64) float64 { return v / float64(ops) }
	o.Values = []Value{
		{NsPerOp, per(float64(spent.Nanoseconds()))},
		{AllocsPerOp, per(float64(after.Mallocs - before.Mallocs))},
		{BytesPerOp, per(float64(after.TotalAlloc - before.TotalAlloc))},
		{PeakRSS, float64(memory().VmHWM)},
	}
	return o
}

// reads counts what reads back wrong. The count is no checksum: subjects are
// meant to differ.
func reads(run workloads.Run, n int) Outcome {
	return Outcome{Values: []Value{{WrongReads, float64(run(n, &workloads.Watch{}))}}}
}

// collect takes the runtime's statistics of a phase: what lives and what the
// system gave at its end, what was allocated and how often it was collected
// meanwhile.
func collect(run workloads.Run, n int) Outcome {
	runtime.GC()
	runtime.ReadMemStats(&before)
	sum := run(n, &workloads.Watch{})
	runtime.ReadMemStats(&after)
	return Outcome{Checksum: sum, Values: []Value{
		{LiveBytes, float64(after.Alloc)},
		{TotalBytes, float64(after.TotalAlloc - before.TotalAlloc)},
		{SystemBytes, float64(after.Sys)},
		{Collections, float64(after.NumGC - before.NumGC)},
	}}
}

// memory is this process's, in bytes; zero where the system doesn't tell.
func memory() procfs.ProcStatus {
	p, err := procfs.Self()
	if err != nil {
		return procfs.ProcStatus{}
	}
	status, err := p.NewStatus()
	if err != nil {
		return procfs.ProcStatus{}
	}
	return status
}
