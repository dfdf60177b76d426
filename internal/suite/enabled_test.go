package suite

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/ebbpool/arena"
)

// While pools are off, Get returns nil arenas, which allocate on the heap; what is out
// goes back as always, and on again is as before.
func TestSetEnabled(t *testing.T) {
	p := arena.NewArenaPool(1<<10, 0)
	out := p.Get()
	arena.SetEnabled(false)
	defer arena.SetEnabled(true)
	p.Do(func(a *arena.Arena) {
		if s := a.AllocString("abc"); a != nil || s != "abc" {
			t.Errorf("an arena, %q", s)
		}
	})
	p.Put(p.Get())
	if s := p.Stats(); s.Gets != 1 || s.Puts != 0 {
		t.Errorf("%d Gets, %d Puts", s.Gets, s.Puts)
	}
	p.Put(out)
	arena.SetEnabled(true)
	a := p.Get()
	defer p.Put(a)
	if a == nil {
		t.Error("no arena when pools are on again")
	}
	if s := p.Stats(); s.Gets != 2 || s.Puts != 1 {
		t.Errorf("%d Gets, %d Puts", s.Gets, s.Puts)
	}
}

// A nil pool hands out nil arenas, so that who has none needs no other code.
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

// EBBPOOL=off is for a program that nobody builds again.
func TestOffByEnvironment(t *testing.T) {
	if os.Getenv("EBBPOOL_CHILD") != "" {
		p := arena.NewAutoPool(0)
		a := p.Get()
		defer p.Put(a)
		if a != nil {
			t.Error("an arena")
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	c := exec.Command(self, "-test.run=^TestOffByEnvironment$", "-test.v")
	c.Env = append(os.Environ(), "EBBPOOL=off", "EBBPOOL_CHILD=1")
	out, err := c.CombinedOutput()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		t.Errorf("%v\n%s", err, out)
	} else if err != nil {
		t.Skip(err) // an emulated processor's programs run nowhere else
	}
}
