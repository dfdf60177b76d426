package stress

import (
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/prometheus/procfs"
)

// snapshot holds the collector's state at one moment.
type snapshot struct {
	mem   runtime.MemStats
	gcCPU float64 // seconds that collection took from the program
	cpu   time.Duration
	at    time.Time
}

// Time the collector takes on processors that have nothing else to do is not
// the program's loss, and is not counted.
var gcSamples = []metrics.Sample{
	{Name: "/cpu/classes/gc/total:cpu-seconds"},
	{Name: "/cpu/classes/gc/mark/idle:cpu-seconds"},
}

// read fills s in place: a MemStats is 6 KB, and reading it must not allocate.
func (s *snapshot) read() {
	metrics.Read(gcSamples)
	s.gcCPU = gcSamples[0].Value.Float64() - gcSamples[1].Value.Float64()
	s.cpu = cpuTime()
	runtime.ReadMemStats(&s.mem)
	s.at = time.Now()
}

// fill puts the difference of two snapshots into r.
func fill(r *Result, before, after *snapshot) {
	r.Seconds = after.at.Sub(before.at).Seconds()
	r.CPU = after.cpu - before.cpu
	r.GCCycles = after.mem.NumGC - before.mem.NumGC
	r.PauseTotal = time.Duration(after.mem.PauseTotalNs - before.mem.PauseTotalNs)
	// PauseNs is a ring; the runtime's doc gives the newest's place.
	for k := range min(r.GCCycles, uint32(len(after.mem.PauseNs))) {
		n := after.mem.NumGC - k
		pause := after.mem.PauseNs[(n+255)%256]
		r.PauseMax = max(r.PauseMax, time.Duration(pause))
	}
	r.GCShare = (after.gcCPU - before.gcCPU) / (r.Seconds * float64(runtime.GOMAXPROCS(0)))
	r.Mallocs = after.mem.Mallocs - before.mem.Mallocs
	r.Bytes = after.mem.TotalAlloc - before.mem.TotalAlloc
}

// cpuTime returns what this process has had of all processors, in programs and in the
// kernel for them, or 0 where the system doesn't tell.
func cpuTime() time.Duration {
	p, err := procfs.Self()
	if err != nil {
		return 0
	}
	stat, err := p.Stat()
	if err != nil {
		return 0
	}
	return time.Duration(stat.CPUTime() * float64(time.Second))
}

// peakRSS is the most memory this process had resident, in bytes, or 0 where
// the system doesn't tell.
func peakRSS() uint64 {
	p, err := procfs.Self()
	if err != nil {
		return 0
	}
	status, err := p.NewStatus()
	if err != nil {
		return 0
	}
	return status.VmHWM
}

// Load is the machine's load average over the last minute, or 0 where the
// system doesn't tell.
func Load() float64 {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0
	}
	load, err := fs.LoadAvg()
	if err != nil {
		return 0
	}
	return load.Load1
}

// Processor is the name of this machine's, as Go's benchmarks print it, or "" where the
// system doesn't tell.
func Processor() string {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return ""
	}
	all, err := fs.CPUInfo()
	if err != nil || len(all) == 0 {
		return ""
	}
	return all[0].ModelName
}
