//go:build linux || darwin

package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/guard"
	"github.com/ebbpool/arena/internal/testkit"
)

// guardedCrashes crash the process in a goroutine that has not used arenas.
var guardedCrashes = map[string]func(a *arena.Arena, put func()){
	"text": func(a *arena.Arena, put func()) {
		s := a.AllocString("text")
		put()
		inLibrary(func() { sampledSink = strings.ToUpper(s) })
	},
	"pointer": func(a *arena.Arena, put func()) {
		x := arena.NewOf(a, sampledNode{next: arena.New[sampledNode](a)})
		put()
		inLibrary(func() { x.next.n = 1 })
	},
	"second chunk": func(a *arena.Arena, put func()) {
		a.AllocBytes(100)
		b := a.AllocBytes(1 << 20)
		put()
		inLibrary(func() { b[1<<19]++ })
	},
	"fork": func(a *arena.Arena, put func()) {
		s := a.Fork().AllocString("text")
		put()
		inLibrary(func() { sampledSink = strings.ToUpper(s) })
	},
	"reset": func(a *arena.Arena, put func()) {
		s := a.AllocString("text")
		a.Reset()
		inLibrary(func() { sampledSink = strings.ToUpper(s) })
	},
}

func inLibrary(f func()) {
	done := make(chan bool)
	go func() { defer close(done); f() }()
	<-done
}

// A fault in a library's goroutine ends the process. The log then contains the address and the stacks of Get
// and Put.
func TestGuardedLog(t *testing.T) {
	if check.On || !guard.HavePages() || testkit.Emulated() {
		t.Skip("each arena is guarded, or none; an emulated fault may have no address")
	}
	if name := os.Getenv("GUARDED_CRASH"); name != "" {
		f, err := os.OpenFile(os.Getenv("GUARDED_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if err := debug.SetCrashOutput(f, debug.CrashOptions{}); err != nil {
			t.Fatal(err)
		}
		arena.LogGuarded(f)
		p := arena.NewAutoPool(0)
		p.SetMisuseSampling(1, nil)
		for range 3 {
			p.Do(func(a *arena.Arena) { a.AllocString("other") })
		}
		a := p.Get()
		guardedCrashes[name](a, func() { p.Put(a) })
		return
	}
	for name := range guardedCrashes {
		path := filepath.Join(t.TempDir(), "crash.log")
		c := exec.Command(os.Args[0], "-test.run=^TestGuardedLog$")
		c.Env = append(os.Environ(), "GUARDED_CRASH="+name, "GUARDED_LOG="+path)
		if out, err := c.CombinedOutput(); err == nil {
			t.Errorf("%s: the process goes on\n%s", name, out)
			continue
		}
		log, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(log)
		m := regexp.MustCompile(` addr=0x([0-9a-f]+)`).FindStringSubmatch(text)
		if m == nil {
			t.Errorf("%s: the crash has no address\n%s", name, text)
			continue
		}
		at, _ := strconv.ParseUint(m[1], 16, 64)
		var of []string
		for _, record := range strings.Split(text, "arena: guarded memory")[1:] {
			first, _, _ := strings.Cut(record, "\n")
			for _, r := range strings.Fields(first) {
				from, to, _ := strings.Cut(strings.ReplaceAll(r, "0x", ""), "-")
				lo, _ := strconv.ParseUint(from, 16, 64)
				if hi, _ := strconv.ParseUint(to, 16, 64); lo <= at && at < hi {
					of = append(of, record)
				}
			}
		}
		if len(of) != 1 || strings.Count(of[0], "guarded_log_test.go") < 2 {
			t.Errorf("%s: %d records contain address %#x, want 1 with both stacks\n%s", name, len(of), at, text)
		}
	}
	arena.LogGuarded(nil)
}
