//go:build unix

package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/prometheus/procfs"
)

// Service is a set of servers that do the same work, its sides, and their clients. A side's name may end in
// "+GOGC=400" or another environment variable of its process; GOTOOLCHAIN also compiles it with that Go.
type Service struct {
	Name  string
	Sides []string
	// Open lists the open loops, as percentages of the first side's throughput in the closed loop, and Steady
	// the sides measured in them.
	Open   []int
	Steady []string
	// Serve serves one side until ctx is done. data is Begin's result.
	Serve func(ctx context.Context, side, data string, l net.Listener) error
	// Begin prepares the initial data of a server in dir.
	Begin func(ctx context.Context, dir string) (data string, err error)
	// Senders returns the workers of one loop with the given number of requests. close is called after it.
	Senders func(addr string, workers, requests int, seed uint64) (s []Sender, close func(), err error)
	// More, if not nil, measures what needs no server.
	More func(ctx context.Context, w io.Writer, dir string, rounds int) error
}

// Config is the amount of measurement. OpenFor is the duration of an open loop; 0 means that it has as many requests as
// a closed one. An open loop should last for several collections of each side. Otherwise its quantiles depend on
// whether there was one.
type Config struct {
	Rounds, Requests, Workers int
	OpenFor                   time.Duration
}

// Child runs the server if the program's arguments say so, and reports whether it did. Programs call it
// first.
func Child(serve func(ctx context.Context, side, data string, l net.Listener) error) bool {
	if len(os.Args) != 4 || os.Args[1] != "-serve" {
		return false
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := child(ctx, serve, os.Args[2], os.Args[3], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// Main is the main function of a service without its own flags.
func (s Service) Main() {
	if Child(s.Serve) {
		return
	}
	var c Config
	flag.IntVar(&c.Rounds, "rounds", 7, "rounds of each side")
	flag.IntVar(&c.Requests, "requests", 4000, "requests of each loop of a round")
	flag.IntVar(&c.Workers, "workers", 16, "concurrent requests in the closed loop")
	out := flag.String("out", "../../lab/results/"+s.Name+".txt", "write the results to this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := ToFile(*out, func(w io.Writer) error { _, err := s.Measure(ctx, w, c); return err }); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name, err)
		os.Exit(1)
	}
}

// Machine returns the lines of a file of results that name the processor and the Go version.
func Machine() string { return fmt.Sprintf("cpu: %s\ntoolchain: %s\n", Processor(), runtime.Version()) }

// ToFile creates a file, writes Machine to it and then the results of measure.
func ToFile(name string, measure func(w io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	w, err := os.Create(name)
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := io.WriteString(w, Machine()); err != nil {
		return err
	}
	if err := measure(w); err != nil {
		return err
	}
	return w.Close()
}

// Measure writes the results of all rounds, in Go's benchmark format, and returns them.
func (s Service) Measure(ctx context.Context, w io.Writer, c Config) (all []Result, err error) {
	if c.Rounds < 1 || c.Requests < 1 || c.Workers < 1 {
		return nil, fmt.Errorf("%d rounds of %d requests by %d workers: want at least 1 of each", c.Rounds, c.Requests, c.Workers)
	}
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if s.More != nil {
		if err := s.More(ctx, w, dir, c.Rounds); err != nil {
			return nil, err
		}
	}
	if runtime.NumCPU() > 1 {
		pin([]int{runtime.NumCPU() - 1})
	}
	warm, err := s.life(ctx, s.Sides[0], dir, c, 0, 0, "")
	if err != nil {
		return nil, err
	}
	rate, sums, pooled := warm[0].PerSecond, map[string]uint64{}, map[string]*hdrhistogram.Histogram{}
	for n := range c.Rounds {
		for i := range s.Sides {
			did, err := s.life(ctx, s.Sides[(i+n)%len(s.Sides)], dir, c, uint64(n+1), rate, "")
			if err != nil {
				return nil, err
			}
			for _, r := range did {
				at := fmt.Sprint(n, r.Loop)
				if sum, ok := sums[at]; ok && sum != r.checksum {
					return nil, fmt.Errorf("round %d: the responses of %s differ from those of another side", n, r.Side)
				}
				sums[at] = r.checksum
				r.write(w, s.Name)
				name := r.name(s.Name)
				if pooled[name] == nil {
					pooled[name] = hdrhistogram.Import(r.latency.Export())
				} else {
					pooled[name].Merge(r.latency)
				}
			}
			all = append(all, did...)
		}
	}
	for name, h := range pooled {
		fmt.Fprintf(w, "%s %d %d pooled-p50-ns %d pooled-p90-ns %d pooled-p99-ns\n",
			name, h.TotalCount(), h.ValueAtQuantile(50), h.ValueAtQuantile(90), h.ValueAtQuantile(99))
		if h.TotalCount() >= enough {
			fmt.Fprintf(w, "%s %d %d p99.9-ns\n", name, h.TotalCount(), h.ValueAtQuantile(99.9))
		}
	}
	return all, nil
}

// enough is the number of requests, in all rounds together, that a p99.9 needs.
var enough int64 = 100_000

// Result is the measurement of one side in a loop of one round.
type Result struct {
	Side, Loop     string
	Requests       int
	PerSecond, CPU float64 // CPU: ns per request
	Used           Usage   // the difference over the loop; the peak since the process started
	latency        *hdrhistogram.Histogram
	checksum       uint64
}

// Quantile returns the latency that q percent of the requests do not exceed.
func (r Result) Quantile(q float64) time.Duration { return time.Duration(r.latency.ValueAtQuantile(q)) }

func (r Result) name(service string) string {
	return fmt.Sprintf("BenchmarkService/service=%s/loop=%s/side=%s", service, r.Loop, r.Side)
}

func (r Result) write(w io.Writer, service string) {
	n := float64(r.Requests)
	fmt.Fprintf(w, "%s %d %.5g req/s %.0f cpu-ns/req %d p50-ns %d p90-ns %d p99-ns %d max-ns %.4g GCs/1000req %.5g pause-ns/req %.5g allocs/req %.5g B/req %d peak-B\n",
		r.name(service), r.Requests, r.PerSecond, r.CPU, r.Quantile(50), r.Quantile(90), r.Quantile(99), r.latency.Max(),
		1000*float64(r.Used.Collections)/n, float64(r.Used.Pause)/n, float64(r.Used.Allocations)/n, float64(r.Used.Allocated)/n, r.Used.PeakRSS)
}

// Profile runs one side in a closed loop, and returns the file of its CPU profile, in dir.
func (s Service) Profile(ctx context.Context, side, dir string, c Config) (string, error) {
	file := filepath.Join(dir, "cpu.pb.gz")
	_, err := s.life(ctx, side, dir, c, 0, 0, file)
	return file, err
}

// life starts a server and sends it its requests.
func (s Service) life(ctx context.Context, side, dir string, c Config, round uint64, rate float64, profile string) (all []Result, err error) {
	fail := func(err error) ([]Result, error) { return nil, fmt.Errorf("%s, %s: %w", s.Name, side, err) }
	data, err := s.Begin(ctx, dir)
	if err != nil {
		return fail(err)
	}
	server, err := start(side, data, dir)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if e := server.stop(); err == nil && e != nil {
			_, err = fail(e)
		}
	}()
	loops := []int{0, 100} // percentages; 0 is the warm-up, 100 the closed loop
	if rate > 0 && slices.Contains(s.Steady, side) {
		loops = append(loops, s.Open...)
	}
	for k, part := range loops {
		r, workers := Result{Side: side, Loop: "closed", Requests: c.Requests}, c.Workers
		if k == 0 {
			r.Requests = max(c.Requests/4, 1)
		}
		loop := Closed(0, r.Requests)
		if k > 1 {
			r.Loop = fmt.Sprint("open", part)
			workers *= 4 // so that one is free when a request is due
			rate := rate * float64(part) / 100
			if c.OpenFor != 0 {
				r.Requests = max(1, int(rate*c.OpenFor.Seconds()))
			}
			loop = Open(Arrivals(round, r.Requests, rate))
		}
		senders, end, err := s.Senders(server.addr, workers, r.Requests, 5*round+uint64(k))
		if err != nil {
			return fail(err)
		}
		if k == 1 && profile != "" {
			if _, err := server.ask("profile " + profile); err != nil {
				return fail(err)
			}
		}
		before, err := server.ask("usage")
		if err != nil {
			return fail(err)
		}
		clients, from := New(senders), time.Now()
		err = clients.Run(ctx, loop)
		took := time.Since(from)
		end()
		latency, sum, _, failed := clients.Total()
		if err == nil {
			err = failed
		}
		if err != nil {
			return fail(fmt.Errorf("%s loop: %w", r.Loop, err))
		}
		after, err := server.ask("usage")
		if err != nil {
			return fail(err)
		}
		if k == 0 {
			continue
		}
		r.latency, r.checksum, r.Used = latency, sum, after.less(before)
		r.PerSecond, r.CPU = float64(r.Requests)/took.Seconds(), float64(r.Used.CPU)/float64(r.Requests)
		all = append(all, r)
	}
	return all, nil
}

// Usage counts the resources that a server has used since it started.
type Usage struct {
	CPU, Pause                      time.Duration
	Collections                     uint32
	Allocations, Allocated, PeakRSS uint64
}

func (u Usage) less(v Usage) Usage {
	return Usage{u.CPU - v.CPU, u.Pause - v.Pause, u.Collections - v.Collections, u.Allocations - v.Allocations, u.Allocated - v.Allocated, u.PeakRSS}
}

func used() (Usage, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return Usage{}, err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := Usage{time.Duration(r.Utime.Nano() + r.Stime.Nano()), time.Duration(m.PauseTotalNs), m.NumGC, m.Mallocs, m.TotalAlloc, 0}
	if p, err := procfs.Self(); err == nil {
		if s, err := p.NewStatus(); err == nil {
			u.PeakRSS = s.VmHWM
		}
	}
	return u, nil
}

// child is the server's process. It prints its address, and for each line of input its usage, until the input
// ends. A line "profile FILE" starts a profile.
func child(ctx context.Context, serve func(ctx context.Context, side, data string, l net.Listener) error, side, data string, in io.Reader, out io.Writer) error {
	if n := runtime.NumCPU(); n > 1 { // the clients have the last processor
		var all []int
		for i := range n - 1 {
			all = append(all, i)
		}
		pin(all)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer l.Close() // clients of a failed server must not wait
		ended <- serve(ctx, side, data, l)
	}()
	fmt.Fprintln(out, l.Addr())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if file, ok := strings.CutPrefix(lines.Text(), "profile "); ok {
			f, err := os.Create(file)
			if err != nil {
				return err
			}
			defer f.Close()
			if err := pprof.StartCPUProfile(f); err != nil {
				return err
			}
			defer pprof.StopCPUProfile()
		}
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

// server is the client's side of such a process.
type server struct {
	addr string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

func start(side, data, dir string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	name, env := side, []string(nil)
	if i := strings.LastIndexByte(side, '+'); strings.Contains(side[i+1:], "=") {
		name, env = side[:i], []string{side[i+1:]}
		if strings.HasPrefix(env[0], "GOTOOLCHAIN=") {
			if self, err = compiled(env[0], dir); err != nil {
				return nil, err
			}
		}
	}
	s := &server{cmd: exec.Command(self, "-serve", name, data)}
	s.cmd.Stderr, s.cmd.Env = os.Stderr, append(os.Environ(), env...)
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
		return nil, fmt.Errorf("server does not start: %w", err)
	}
	return s, nil
}

// compiled compiles this program with the given toolchain, into dir.
func compiled(toolchain, dir string) (file string, err error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("program has no build information")
	}
	file = filepath.Join(dir, toolchain)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	build := exec.Command("go", "build", "-o", file, strings.TrimSuffix(info.Path, ".test"))
	build.Env = append(os.Environ(), toolchain)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s go build: %w\n%s", toolchain, err, out)
	}
	return file, nil
}

func (s *server) ask(line string) (u Usage, err error) {
	if _, err := fmt.Fprintln(s.in, line); err != nil {
		return u, err
	}
	said, err := s.out.ReadBytes('\n')
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(said, &u)
}

func (s *server) stop() error {
	s.in.Close()
	return s.cmd.Wait()
}
