package matrix

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// Most of a measurement is its warm-up: the first lives of a million objects
// pay for fresh memory. So two children are at work at once while they warm up,
// and take turns in what is timed: the other one is stopped meanwhile.

// Lanes is how many children are at work at once.
func Lanes() int {
	if !canStop {
		return 1
	}
	return min(2, runtime.NumCPU())
}

// patience is the longest that one measurement may take.
const patience = 3 * time.Minute

// ended is what a child process left.
type ended struct {
	stdout []byte
	stderr string
	err    error
	late   bool // it was stopped, as it took longer than patience
}

// children are those at work. Who holds the lock has its turn: no other child
// runs, and none is started.
var children struct {
	sync.Mutex
	all map[*os.Process]bool
}

// start runs a child process to its end.
func start(ctx context.Context, program string, args []string) ended {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = &stderr
	// The race detector waits a second at a process's end for goroutines that
	// have something to report; here none is left.
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return ended{err: err}
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return ended{err: err}
	}
	children.Lock()
	if err = cmd.Start(); err == nil {
		if children.all == nil {
			children.all = map[*os.Process]bool{}
		}
		children.all[cmd.Process] = true
	}
	children.Unlock()
	if err != nil {
		return ended{err: err}
	}
	said := conversation(cmd.Process, stdin, stdout)
	// Before Wait: a process that is gone must not be stopped.
	children.Lock()
	delete(children.all, cmd.Process)
	children.Unlock()
	err = cmd.Wait()
	return ended{said, stderr.String(), err, ctx.Err() != nil}
}

// conversation reads what a child says until it has ended, and gives it its
// turn when it asks for one.
func conversation(child *os.Process, stdin io.WriteCloser, stdout io.Reader) []byte {
	defer stdin.Close()
	r := bufio.NewReader(stdout)
	first, _ := r.ReadString('\n')
	if first != ready {
		rest, _ := io.ReadAll(r)
		return append([]byte(first), rest...)
	}
	children.Lock()
	defer children.Unlock()
	for other := range children.all {
		if other != child {
			pause(other)
			defer resume(other)
		}
	}
	stdin.Close() // the end of its input is its turn
	said, _ := io.ReadAll(r)
	return said
}
