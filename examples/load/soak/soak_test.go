// Package soak runs the service and its counterpart for a given time, with everything that can happen to
// requests, and compares them.
package soak

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/examples/orders/pair"
	"github.com/ebbpool/arena/examples/orders/traffic"
	"github.com/ebbpool/arena/examples/orders/web"
	"github.com/ebbpool/arena/internal/check"
)

var length = flag.Duration("for", 15*time.Second, "how long TestSoak runs")

// container is the memory of the services in bytes; GOMEMLIMIT is 0.9 of it. Checked builds never reuse
// memory, and the race detector needs more.
var container = 256 << 20

func init() {
	if check.On {
		container = 2 << 30
	}
}

const (
	share     = 0.35 // of GOMEMLIMIT, for arenas
	maxIdle   = 16 << 20
	guardRate = 1000
	maxBody   = 32 << 20
)

// TestSoak runs both services in one process, in a memory control group if possible, under a changing load: a
// day, a night with a hundredth of it, and bursts, sent by processes some of which are killed during their
// requests (client_test.go). In between, without load, every exported metric is compared with the log
// of the requests (metrics_test.go), and nothing may be in use: no arena, no goroutine, no database
// connection, and no more memory than before.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-soak runs it")
	}
	s := &soak{group: group(t)}
	end := s.serve(t)
	cycle := min(*length/2, 3*time.Minute)
	for began := time.Now(); time.Since(began) < *length && !t.Failed(); {
		day := s.clients(t, 4, 4, 80*time.Millisecond, "day") // 200 requests per second
		for range 5 {
			time.Sleep(cycle / 10)
			if begun, answered := s.marks['b'].Load(), s.marks['a'].Load(); begun > answered {
				s.killed++
			}
			day[0].Process.Kill() // -9
			day[0].Wait()
			day = append(day[1:], s.clients(t, 1, 4, 80*time.Millisecond, "day")...)
			s.observe(t)
		}
		s.end(t, day)
		burst := s.clients(t, 1, 128, 0, "burst")
		time.Sleep(cycle / 10)
		s.observe(t)
		s.end(t, burst)
		night := s.clients(t, 1, 1, 500*time.Millisecond, "night")
		time.Sleep(cycle / 4)
		s.end(t, night)
		if text := s.ask(t, fmt.Sprintf("/check?least=%d&most=%d", s.marks['a'].Load(), s.marks['b'].Load())); text != "" {
			t.Error(text)
		}
	}
	end()
	var counts []string
	for mark, what := range marks {
		n := s.marks[mark].Load()
		counts = append(counts, fmt.Sprint(n, " ", what))
		if n == 0 {
			t.Errorf("nothing was %s: the soak has shown nothing", what)
		}
	}
	t.Logf("%d clients killed in a request; at most %.0f MB resident; %s", s.killed, s.rss/1e6, strings.Join(counts, ", "))
}

type soak struct {
	group    string // directory of a memory control group, or ""
	services []string
	operator string
	marks    [256]atomic.Int64 // written by clients
	reading  sync.WaitGroup
	seed     int
	killed   int
	rss      float64 // maximum
}

// group makes a memory control group of version 1 or 2 below the group of this process.
func group(t *testing.T) (dir string) {
	groups, _ := os.ReadFile("/proc/self/cgroup")
	why := "Linux has them"
	for line := range strings.Lines(string(groups)) { // hierarchy:controllers:path
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		own, file := filepath.Join("/sys/fs/cgroup", parts[2]), "memory.max"
		if parts[1] == "memory" {
			own, file = filepath.Join("/sys/fs/cgroup/memory", parts[2]), "memory.limit_in_bytes"
		} else if parts[1] != "" {
			continue
		} else if os.WriteFile(filepath.Join(own, "cgroup.subtree_control"), []byte("+memory"), 0) != nil {
			continue // version 2, in which only the root group may contain processes and groups
		}
		dir = filepath.Join(own, fmt.Sprint("ebbpool-soak-", os.Getpid()))
		err := os.Mkdir(dir, 0o755)
		if err == nil {
			t.Cleanup(func() {
				for range 100 { // until its last process has ended
					if os.Remove(dir) == nil {
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
				t.Errorf("%s is left", dir)
			})
			if err = os.WriteFile(filepath.Join(dir, file), []byte(fmt.Sprint(container)), 0); err == nil {
				t.Logf("%s has %d MB", dir, container>>20)
				return dir
			}
		}
		why = err.Error()
	}
	t.Run("MemoryControlGroup", func(t *testing.T) { t.Skip("SKIPPED: no memory control group can be made here: ", why) })
	return ""
}

// within returns this program in the group, if there is one, with GOMEMLIMIT set to 0.9 of the container.
func within(group string, args ...string) *exec.Cmd {
	enter := "exec \"$@\""
	if group != "" {
		enter = "echo $$ >" + group + "/cgroup.procs && " + enter
	}
	c := exec.Command("sh", append([]string{"-c", enter, "sh", os.Args[0]}, args...)...)
	c.Env = append(os.Environ(), fmt.Sprint("GOMEMLIMIT=", container/10*9))
	return c
}

// serve starts the process with the services, and returns a function that ends it.
func (s *soak) serve(t *testing.T) (end func()) {
	c := within(s.group, "-test.run=^TestServe$", "-test.v", "-test.timeout=0")
	c.Env = append(c.Env, "EBBPOOL_SOAK=serve")
	c.Stderr = os.Stderr
	in, _ := c.StdinPipe()
	out, _ := c.StdoutPipe()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for s.operator == "" && lines.Scan() {
		if urls, ok := strings.CutPrefix(lines.Text(), "serving "); ok {
			s.services = strings.Fields(urls)
			s.operator = s.services[2]
		} else if strings.Contains(lines.Text(), "SKIPPED: ") {
			defer t.Skip(lines.Text())
		}
	}
	rest := make(chan string, 1)
	go func() {
		text := ""
		for lines.Scan() {
			text += lines.Text() + "\n"
		}
		if err := lines.Err(); err != nil {
			text += err.Error()
		}
		rest <- text
	}()
	return func() {
		in.Close()
		text := <-rest
		if err := c.Wait(); err != nil {
			t.Errorf("the services ended with %v: %s", err, text)
		}
	}
}

// A client is a process that sends requests until its standard input ends.
type client struct {
	*exec.Cmd
	input io.Closer
	says  *bytes.Buffer
}

// clients starts n clients with the given number of goroutines, each of which sends one request per interval.
func (s *soak) clients(t *testing.T, n, goroutines int, interval time.Duration, phase string) (started []client) {
	for range n {
		s.seed++
		c := exec.Command(os.Args[0], "-test.run=^TestClient$", "-test.timeout=0")
		c.Env = append(os.Environ(), fmt.Sprint("EBBPOOL_SOAK=", strings.Join(s.services[:2], " "), " ", s.seed, " ", goroutines, " ", int(interval), " ", phase))
		says := new(bytes.Buffer)
		c.Stdout, c.Stderr = says, says
		input, err := c.StdinPipe()
		r, w, err2 := os.Pipe()
		c.ExtraFiles = []*os.File{w}
		if err := errors.Join(err, err2, c.Start()); err != nil {
			t.Fatal(err)
		}
		w.Close()
		s.reading.Go(func() {
			defer r.Close()
			b := make([]byte, 4096)
			for n, err := r.Read(b); err == nil; n, err = r.Read(b) {
				for _, mark := range b[:n] {
					s.marks[mark].Add(1)
				}
			}
		})
		started = append(started, client{c, input, says})
	}
	return started
}

// end ends clients, and waits until everything they have written is counted.
func (s *soak) end(t *testing.T, clients []client) {
	for _, c := range clients {
		c.input.Close()
	}
	for _, c := range clients {
		if err := c.Wait(); err != nil {
			t.Errorf("a client: %v: %s", err, c.says)
		}
	}
	s.reading.Wait()
}

func (s *soak) ask(t *testing.T, path string) string {
	r, err := http.Get(s.operator + path)
	if err != nil {
		t.Errorf("the services have ended: %v", err)
		return ""
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != 200 {
		t.Errorf("%s: %s, %v: %s", path, r.Status, err, text)
	}
	return string(text)
}

// observe checks what must also hold under load.
func (s *soak) observe(t *testing.T) {
	m := parse(s.ask(t, "/metrics"))
	if used, most := m[name("in_use_bytes")], m[name("pool_limit_bytes")]; used > most {
		t.Errorf("%v bytes are in use, beyond the limit of %v", used, most)
	}
	if gets, back := m[name("gets_total")], m[name("puts_total")]+m[name("abandoned_total")]; back > gets {
		t.Errorf("%v arenas came back, of %v", back, gets)
	}
	s.rss = max(s.rss, m["process_resident_memory_bytes"])
}

// TestServe is the process with the services.
func TestServe(t *testing.T) {
	if os.Getenv("EBBPOOL_SOAK") != "serve" {
		t.Skip("TestSoak starts it")
	}
	pool := arena.NewAutoPool(0)
	if err := pool.SetLimitsFromEnvironment(share); err != nil {
		t.Fatal(err)
	}
	pool.SetMaxIdleBytes(maxIdle)
	pool.SetMisuseSampling(guardRate, func(r *arena.MisuseReport) { t.Error(r) })
	l := newLedger()
	var operator http.Handler
	// Long timeouts, because a busy machine must not fail the test.
	patient := web.Limits{ReadHeader: time.Minute, Read: time.Minute, Write: time.Minute, Shutdown: time.Minute}
	p := pair.Run(t, pair.Config{Pool: pool, Limits: patient, Options: web.Options{Inside: pair.Faults, MaxBody: maxBody, MaxUnderWay: 256, Deadline: time.Minute},
		Arena: func(o *web.Options) {
			o.Log, o.Inside = slog.New(l), l.inside
			operator = web.Operator(o)
		}})
	if err := traffic.New(1, "shared", 3, 1).Fill(t.Context(), p.Store, 1000); err != nil {
		t.Fatal(err)
	}
	rests := 0
	var mostRSS float64
	mostGoroutines := 0
	mux := http.NewServeMux()
	mux.Handle("/", operator)
	mux.HandleFunc("/check", func(w http.ResponseWriter, r *http.Request) {
		var asked span
		fmt.Sscan(r.FormValue("least"), &asked.least)
		fmt.Sscan(r.FormValue("most"), &asked.most)
		probed := l.probe(pool, operator)
		var problems []string
		for range 100 { // leaks are counted when the collector has found them
			debug.FreeOSMemory()
			time.Sleep(100 * time.Millisecond)
			if problems = l.compare(operator, asked); problems == nil && p.Store.InUse() == 0 {
				break
			}
		}
		problems = append(problems, probed...)
		if n := p.Store.InUse(); n != 0 {
			problems = append(problems, fmt.Sprint(n, " connections of the database are in use"))
		}
		rss, goroutines := scrape(operator)["process_resident_memory_bytes"], runtime.NumGoroutine()
		if rests++; rests <= 2 { // warm-up
			mostRSS, mostGoroutines = max(mostRSS, rss), max(mostGoroutines, goroutines)
		}
		// The database's caches grow with the database, by less than this.
		if rss > mostRSS*1.5+32<<20 {
			problems = append(problems, fmt.Sprintf("%v bytes are resident at rest, %v were after the first rounds", rss, mostRSS))
		}
		if goroutines > mostGoroutines+8 {
			stacks := make([]byte, 64<<10)
			problems = append(problems, fmt.Sprintf("%d goroutines at rest, %d after the first rounds:\n%s", goroutines, mostGoroutines, stacks[:runtime.Stack(stacks, true)]))
		}
		for _, problem := range problems {
			fmt.Fprintln(w, problem)
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go http.Serve(listener, mux)
	fmt.Println("serving", p.Arena.URL, p.Plain.URL, "http://"+listener.Addr().String())
	io.Copy(io.Discard, os.Stdin)
}
