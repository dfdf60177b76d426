// Command subject runs one program of package advice in one form. It prints the number of requests served,
// the processor time of all of them in nanoseconds, and its allocations.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/advice"
	"github.com/ebbpool/arena/lab/load"
)

func main() {
	name := flag.String("name", "", "the program's name")
	form := flag.String("form", "plain", "plain or arena")
	length := flag.Duration("for", time.Second, "processor time of the measurement")
	cpu := flag.String("cpu", "", "write a CPU profile to this file")
	allocs := flag.String("allocs", "", "write an allocation profile to this file")
	live := flag.Int("live", 0, "live objects")
	flag.Parse()
	defer runtime.KeepAlive(load.NewLive(*live))
	if err := run(*name, *form, *length, *cpu, *allocs); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		os.Exit(1)
	}
}

func run(name, form string, length time.Duration, cpu, allocs string) error {
	for _, s := range advice.Subjects() {
		if s.Name == name {
			return serve(s, form == "arena", length, cpu, allocs)
		}
	}
	return fmt.Errorf("no program %q", name)
}

func serve(s advice.Subject, inArena bool, length time.Duration, cpu, allocs string) error {
	inputs, plain, converted := s.New()
	one := plain
	if inArena {
		pool := arena.NewAutoPool(0)
		one = func(b []byte) uint64 {
			a := pool.Get()
			defer pool.Put(a)
			return converted(a, b)
		}
	}
	loop := func(length time.Duration) (n int) {
		for end := processorTime() + length; processorTime() < end; {
			for _, b := range inputs {
				one(b)
			}
			n += len(inputs)
		}
		return n
	}
	loop(length / 5) // fills caches and warms pools
	if cpu != "" {
		f, err := os.Create(cpu)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	var begin, end runtime.MemStats
	runtime.ReadMemStats(&begin)
	before := processorTime()
	n := loop(length)
	took := processorTime() - before
	runtime.ReadMemStats(&end)
	pprof.StopCPUProfile()
	if allocs != "" {
		f, err := os.Create(allocs)
		if err != nil {
			return err
		}
		defer f.Close()
		runtime.GC()
		if err := pprof.Lookup("allocs").WriteTo(f, 0); err != nil {
			return err
		}
		runtime.KeepAlive(one)
	}
	fmt.Println(n, took.Nanoseconds(), end.Mallocs-begin.Mallocs)
	return nil
}

// processorTime returns the processor time of all threads of the process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
