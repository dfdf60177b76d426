package load

import (
	"os"
	"runtime"
	"strconv"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// pin restricts this process to the given processors. Later threads inherit that from the thread that starts
// them. If the system refuses, the process keeps all processors.
func pin(processors []int) {
	var set unix.CPUSet
	for _, p := range processors {
		set.Set(p)
	}
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err != nil || unix.SchedSetaffinity(id, &set) != nil {
			return
		}
	}
	runtime.GOMAXPROCS(len(processors))
}

// Busy returns the load average of the last minute, or 0 if it is unknown.
func Busy() float64 {
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

// Processor returns the name of the processor, as printed by Go's benchmarks, or "" if it is unknown.
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
