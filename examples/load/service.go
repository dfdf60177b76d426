//go:build linux

// Package service measures a service with arenas and its counterpart without, each in a
// process of its own on the loopback interface, by turns: in a closed loop, and then in an
// open one at a part of what the plain one did. It needs Linux, whose clocks and /proc it
// reads.
package service

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"github.com/ebbpool/arena/lab/load"
)

// Sides are the two services: as one writes Go, and with arenas.
var Sides = []string{"plain", "arena"}

// Service is a service that is measured, with arenas and without.
type Service struct {
	Name string
	Open float64 // the open loop's part of what the plain one did
	// Serve serves one side until ctx is done. data is what Begin has returned.
	Serve func(ctx context.Context, side, data string, l net.Listener) error
	// Begin makes what a server of either side begins with, in dir.
	Begin func(ctx context.Context, dir string) (data string, err error)
	// Senders are the workers of one loop of so many requests; close is called after it.
	Senders func(addr string, workers, requests int, seed uint64) (s []load.Sender, close func(), err error)
	// More measures what needs no server; nil for nothing.
	More func(ctx context.Context, w io.Writer, dir string, rounds int) error
}

// Config is how much is measured.
type Config struct {
	Rounds, Requests, Workers int
	Out                       string
}

// Main is the program of a service.
func (s Service) Main() {
	var c Config
	flag.IntVar(&c.Rounds, "rounds", 7, "rounds, of each side")
	flag.IntVar(&c.Requests, "requests", 4000, "requests of each loop of a round")
	flag.IntVar(&c.Workers, "workers", 16, "requests at the same time, in the closed loop")
	flag.StringVar(&c.Out, "out", "../../lab/results/"+s.Name+".txt", "write the results to this file")
	side := flag.String("serve", "", "be the server: plain or arena")
	data := flag.String("data", "", "what it begins with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *side != "" {
		err = s.serve(ctx, *side, *data, os.Stdin, os.Stdout)
	} else {
		err = s.Measure(ctx, c)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
		os.Exit(1)
	}
}

// Measure writes the results of all rounds, in Go's benchmark format.
func (s Service) Measure(ctx context.Context, c Config) error {
	if c.Rounds < 1 || c.Requests < 1 || c.Workers < 1 {
		return fmt.Errorf("%d rounds of %d requests by %d workers: at least one of each is needed", c.Rounds, c.Requests, c.Workers)
	}
	dir, err := os.MkdirTemp("", s.Name)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(filepath.Dir(c.Out), 0o755); err != nil {
		return err
	}
	w, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	defer w.Close()
	if s.More != nil {
		if err := s.More(ctx, w, dir, c.Rounds); err != nil {
			return err
		}
	}
	rate := 0.0
	for n := range c.Rounds + 1 { // one to warm up, which tells the rate of the open loops
		to := io.Writer(w)
		if n == 0 {
			to = io.Discard
		}
		var sums [2][2]uint64
		for i := range Sides {
			k := (i + n) % len(Sides)
			did, err := s.life(ctx, to, Sides[k], dir, c, uint64(n), rate)
			if err != nil {
				return fmt.Errorf("%s: %w", Sides[k], err)
			}
			if sums[k] = did.sums; n == 0 && k == 0 {
				rate = s.Open * did.perSecond
			}
		}
		if n > 0 && sums[0] != sums[1] {
			return fmt.Errorf("round %d: the services' answers differ", n)
		}
	}
	return w.Close()
}

type outcome struct {
	perSecond float64
	sums      [2]uint64
}

// life starts a server, sends it its requests, and writes what was measured.
func (s Service) life(ctx context.Context, w io.Writer, side, dir string, c Config, round uint64, rate float64) (did outcome, err error) {
	data, err := s.Begin(ctx, dir)
	if err != nil {
		return did, err
	}
	server, err := start(side, data)
	if err != nil {
		return did, err
	}
	defer func() {
		if e := server.stop(); err == nil {
			err = e
		}
	}()
	begun, all := usage{}, usage{}
	for k, l := range []struct {
		name string
		loop func() load.Loop
	}{
		{"warm", func() load.Loop { return load.Closed(0, c.Requests) }},
		{"closed", func() load.Loop { return load.Closed(0, c.Requests) }},
		{"open", func() load.Loop { return load.Open(load.Arrivals(round, c.Requests, rate)) }},
	} {
		if l.name == "open" && rate == 0 {
			break
		}
		workers := c.Workers
		if l.name == "open" {
			workers *= 4 // so that one is free when a request is due
		}
		senders, end, err := s.Senders(server.addr, workers, c.Requests, 3*round+uint64(k))
		if err != nil {
			return did, err
		}
		before, err := server.usage()
		if err != nil {
			return did, err
		}
		if l.name == "closed" {
			begun = before
		}
		clients, from := load.New(senders), time.Now()
		err = clients.Run(ctx, l.loop(), nil)
		took := time.Since(from)
		end()
		latency, sum, _, failed := clients.Total()
		if err != nil || failed != nil {
			return did, fmt.Errorf("%s loop: %w", l.name, first(err, failed))
		}
		if all, err = server.usage(); err != nil {
			return did, err
		}
		if l.name == "warm" {
			continue
		}
		did.sums[k-1] = sum
		if l.name == "closed" {
			did.perSecond = float64(c.Requests) / took.Seconds()
		}
		at := latency.ValueAtQuantile
		fmt.Fprintf(w, "BenchmarkService/service=%s/loop=%s/side=%s %d %.5g req/s %d cpu-ns/req %d p50-ns %d p99-ns %d p99.9-ns %d max-ns\n", s.Name, l.name, side,
			c.Requests, float64(c.Requests)/took.Seconds(), int(all.CPU-before.CPU)/c.Requests, at(50), at(99), at(99.9), latency.Max())
	}
	n := float64(2 * c.Requests)
	_, err = fmt.Fprintf(w, "BenchmarkService/service=%s/loop=both/side=%s %d %.4g GCs/1000req %.5g pause-ns/req %.5g B/req %d peak-B\n", s.Name, side,
		2*c.Requests, 1000*float64(all.Collections-begun.Collections)/n, float64(all.Pause-begun.Pause)/n, float64(all.Allocated-begun.Allocated)/n, all.PeakRSS)
	return did, err
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// usage is what a server has used since it began.
type usage struct {
	CPU, Pause  time.Duration
	Collections uint32
	Allocated   uint64
	PeakRSS     uint64
}

func used() (usage, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{CPU: time.Duration(r.Utime.Nano() + r.Stime.Nano()), Pause: time.Duration(m.PauseTotalNs), Collections: m.NumGC, Allocated: m.TotalAlloc}
	if p, err := procfs.Self(); err == nil {
		if s, err := p.NewStatus(); err == nil {
			u.PeakRSS = s.VmHWM
		}
	}
	return u, nil
}

// serve is the server's process: it says its address, and at each line of input what it
// has used, until there is no more.
func (s Service) serve(ctx context.Context, side, data string, in io.Reader, out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, side, data, l) }()
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

func start(side, data string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{cmd: exec.Command(self, "-serve", side, "-data", data)}
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
