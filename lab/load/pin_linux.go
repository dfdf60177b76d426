package load

import (
	"os"
	"runtime"
	"strconv"

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
