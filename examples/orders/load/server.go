//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"github.com/ebbpool/arena"
	arenaorders "github.com/ebbpool/arena/examples/orders/arena"
	plainorders "github.com/ebbpool/arena/examples/orders/plain"
	"github.com/ebbpool/arena/examples/orders/store"
	"github.com/ebbpool/arena/examples/orders/web"
)

var sides = []string{"plain", "arena"}

// newService is the service of one side, which logs each request to nowhere.
func newService(side string, s *store.Store) http.Handler {
	o := web.Options{Log: slog.New(slog.NewJSONHandler(io.Discard, nil)), MaxUnderWay: 4096, Deadline: time.Minute}
	if side == "plain" {
		return plainorders.New(s, o, time.Now)
	}
	pool := arena.NewAutoPool(0)
	pool.SetLimit(8<<20, 256<<20)
	return arenaorders.New(s, pool, o, time.Now)
}

// usage is what a server has used since it began.
type usage struct {
	CPU         time.Duration
	Collections uint32
	Pause       time.Duration
	Allocated   uint64
	PeakRSS     uint64
}

func (u usage) since(before usage) usage {
	u.CPU -= before.CPU
	u.Collections -= before.Collections
	u.Pause -= before.Pause
	u.Allocated -= before.Allocated
	return u
}

func used() (usage, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{
		CPU:         time.Duration(r.Utime.Nano() + r.Stime.Nano()),
		Collections: m.NumGC, Pause: time.Duration(m.PauseTotalNs), Allocated: m.TotalAlloc,
	}
	if p, err := procfs.Self(); err == nil {
		if s, err := p.NewStatus(); err == nil {
			u.PeakRSS = s.VmHWM
		}
	}
	return u, nil
}

// serve is the server's process: it says its address, and at each line of input what it
// has used, until there is no more.
func serve(ctx context.Context, side, db string, in io.Reader, out io.Writer) error {
	s, err := store.Open(ctx, db)
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(ctx, l, newService(side, s), web.DefaultLimits) }()
	fmt.Fprintln(out, l.Addr())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		u, err := used()
		if err != nil {
			return err
		}
		if err := json.NewEncoder(out).Encode(u); err != nil {
			return err
		}
	}
	cancel()
	return <-ended
}

// server is such a process, seen from the one that sends the requests.
type server struct {
	addr string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

func start(side, db string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: exec.Command(self, "-serve", side, "-db", db)}
	s.cmd.Stderr = os.Stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if _, err := fmt.Fscanln(s.out, &s.addr); err != nil {
		s.stop()
		return nil, fmt.Errorf("the server of %s does not start: %w", side, err)
	}
	return s, nil
}

func (s *server) usage() (u usage, err error) {
	if _, err := fmt.Fprintln(s.in); err != nil {
		return u, err
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(line, &u)
}

func (s *server) stop() error {
	s.in.Close()
	return s.cmd.Wait()
}
