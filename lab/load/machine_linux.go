package load

import (
	"os"
	"runtime"
	"strconv"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// pin leaves this process those processors. Threads that begin later have those of the
// thread that begins them. Where the system refuses, it has all.
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

// Busy is the machine's load average over the last minute, or 0 where it is not told.
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

// Processor is the name of this machine's, as Go's benchmarks print it, or "" where it is
// not told.
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
