// Command parts runs parts of the tests, each a target of the Makefile, and counts:
//
//	parts -root .. -make make -about "4 minutes" [-keep | -take] NAME PART...
//
// A part that fails does not end the others. What each printed is in
// _build/test/PART.log. The last line is the sum of what the test runners said. A line
// with "SKIPPED: " tells of something that the machine lacks, such as an emulator; with
// EBBPOOL_REQUIRE=1 it is a failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// require says that nothing may be left out.
var require = os.Getenv("EBBPOOL_REQUIRE") == "1"

func main() {
	root := flag.String("root", ".", "the folder of the Makefile")
	gnumake := flag.String("make", "make", "the command that makes a part")
	about := flag.String("about", "", "how long it takes")
	jobs := flag.Int("jobs", 2, "how many parts run at a time")
	keep := flag.Bool("keep", false, "write down what passed")
	limit := flag.Duration("limit", time.Hour, "how long a part may take; what it has started then is killed")
	least := flag.Uint64("least", 2000, "how many MB of disk must be free, before a part starts, for Go's build cache not to be emptied")
	take := flag.Bool("take", false, "do not run again what -keep wrote down of the same files, environment and compilers")
	flag.Parse()
	target, names := flag.Arg(0), flag.Args()[1:]
	fmt.Printf("make %s: %d parts, %d at a time; it takes about %s\n", target, len(names), *jobs, *about)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	begin := time.Now()
	var state string
	if *keep || *take {
		state = stateOf(*root, os.Environ())
	}
	disk, err := cacheRoom(*least << 20)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	todo, done := make(chan *part), make(chan *part)
	for range *jobs {
		go func() {
			for p := range todo {
				if p.taken = *take && p.take(*root, state); !p.taken {
					disk.enter()
					p.run(ctx, *root, *gnumake, *limit)
					disk.leave()
				}
				if *keep {
					p.keep(*root, state)
				}
				done <- p
			}
		}()
	}
	go func() {
		for _, name := range names {
			todo <- &part{name: name}
		}
	}()
	var sum counts
	var failed, missing []string
	var used time.Duration
	for range names {
		p := <-done
		verdict := "ok  "
		if p.failed > 0 {
			verdict = "FAIL"
			failed = append(failed, fmt.Sprintf("failed: %s\n\talone: make %s; all that it printed: _build/test/%s.log",
				strings.Join(p.failures, ", "), p.name, p.name))
			fmt.Print(p.report.String())
		}
		how := fmt.Sprintf("%.0f s, of processors %.0f s", p.took.Seconds(), p.used.Seconds())
		if p.taken {
			how = "passed in make test, since which nothing has changed"
		}
		fmt.Printf("%s %-21s %s (%s)\n", verdict, p.name, p.counts, how)
		used += p.used
		for _, m := range p.missing {
			missing = append(missing, p.name+": "+m)
		}
		sum.add(p.counts)
	}
	if len(missing) > 0 && !require {
		fmt.Printf("not run, for this machine lacks something (EBBPOOL_REQUIRE=1 makes that a failure):\n\t%s\n", strings.Join(missing, "\n\t"))
	}
	fmt.Printf("make %s took %.0f s, and %.0f s of processors\n", target, time.Since(begin).Seconds(), used.Seconds())
	for _, f := range failed {
		fmt.Println(f)
	}
	fmt.Println(sum)
	if sum.failed > 0 {
		os.Exit(1)
	}
}

// run makes p, and reads what is printed line by line. What takes longer than limit is
// killed, with all that it started.
func (p *part) run(ctx context.Context, root, gnumake string, limit time.Duration) {
	begin := time.Now()
	defer func() { p.took = time.Since(begin) }()
	logs := filepath.Join(root, "_build", "test")
	err := os.MkdirAll(logs, 0o755)
	if err == nil {
		p.log, err = os.Create(filepath.Join(logs, p.name+".log"))
	}
	if err != nil {
		p.count("fail", p.name, err.Error()+"\n")
		return
	}
	defer p.log.Close()
	ctx, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("killed after %v", limit))
	defer stop()
	cmd := exec.CommandContext(ctx, gnumake, "--no-print-directory", "-k", p.name)
	cmd.Dir = root
	// Without what an outer make tells an inner one, whose jobs are not of its kind.
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "EBBPOOL_PARTS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	r, w, err := os.Pipe()
	if err == nil {
		cmd.Stdout, cmd.Stderr = w, w
		err = cmd.Start()
		w.Close()
	}
	if err == nil {
		p.read(r)
		err = cmd.Wait()
		p.used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	switch {
	case err != nil && p.failed == 0:
		p.count("fail", p.name, err.Error()+", after\n"+p.tail())
	case p.counts == counts{}: // no tests, but a check, such as of formats
		p.count("pass", p.name, "")
	}
}
