package suite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// While pools are disabled, arenas allocate each value from the heap, where it outlives its arena. Arenas in
// use are put back as usual. Enabling pools restores the previous behavior.
func TestSetEnabled(t *testing.T) {
	p := arena.NewArenaPool(1<<10, 0)
	out := p.Get()
	arena.SetEnabled(false)
	defer arena.SetEnabled(true)
	var kept string
	p.Do(func(a *arena.Arena) {
		kept = a.AllocString("abc")
		if s := a.Stats(); s.UsedBytes != 8 || s.RetainedBytes != 8 || s.Chunks != 0 {
			t.Errorf("%+v", s)
		}
	})
	p.Do(func(a *arena.Arena) { a.AllocString("def") })
	if s := p.Stats(); kept != "abc" || s.Gets != 3 || s.Puts != 2 || s.Mode != "heap" || s.InUseBytes != 0 || s.UsedAtPut.Bytes != 16 {
		t.Errorf("%q, %+v", kept, s)
	}
	p.Put(out)
	arena.SetEnabled(true)
	a := p.Get()
	defer p.Put(a)
	if a == nil {
		t.Error("no arena when pools are on again")
	}
	if s := p.Stats(); s.Gets != 4 || s.Puts != 3 || s.Mode != "plain" {
		t.Errorf("%d Gets, %d Puts", s.Gets, s.Puts)
	}
}

// A nil pool returns nil arenas, so that code without a pool needs no special case.
func TestNilPool(t *testing.T) {
	var p *arena.ArenaPool
	p.Do(func(a *arena.Arena) {
		if a != nil {
			t.Error("an arena of no pool")
		}
	})
	if s := p.Stats(); s != (arena.PoolStats{}) {
		t.Errorf("%+v", s)
	}
}

// The environment sets the mode of all pools. An unknown value is reported once.
func TestModeByEnvironment(t *testing.T) {
	if os.Getenv("EBBPOOL_CHILD") != "" {
		p := arena.NewAutoPool(0)
		p.Put(p.Get())
		fmt.Println("mode:", p.Stats().Mode)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for value, want := range map[string]struct{ mode, stderr string }{
		"": {"plain", ""}, "off": {"heap", ""}, "isolated": {"isolated", ""},
		"offf": {"plain", "arena: unknown value of EBBPOOL: \"offf\" (known: off, isolated)\n"},
		"0":    {"plain", "arena: unknown value of EBBPOOL: \"0\" (known: off, isolated)\n"},
	} {
		c := exec.Command(self, "-test.run=^TestModeByEnvironment$", "-test.v")
		c.Env = append(os.Environ(), "EBBPOOL="+value, "EBBPOOL_CHILD=1")
		var stderr strings.Builder
		c.Stderr = &stderr
		out, err := c.Output()
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			t.Skip(err) // programs for an emulated processor cannot be started directly
		}
		if err != nil || !strings.Contains(string(out), "mode: "+want.mode+"\n") || stderr.String() != want.stderr {
			t.Errorf("EBBPOOL=%s: %v\n%s\n%s", value, err, out, stderr.String())
		}
	}
}
