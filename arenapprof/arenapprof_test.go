package arenapprof

import (
	"bytes"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
)

// The profile must have the arenas that are out and no others, with the
// function that took them first, and must not keep what it lists alive.
func TestLiveProfile(t *testing.T) {
	profile := pprof.Lookup(Name)
	if profile == nil {
		t.Fatal("there is no profile " + Name)
	}
	p := arena.NewArenaPool(256, 0)
	p.Put(p.Get())
	silent := p.Get()
	if n := profile.Count(); n != 0 {
		t.Errorf("%d arenas listed of a pool that doesn't sample", n)
	}
	p.SetLeakSampling(1)
	out := []*arena.Arena{p.Get(), p.Get(), p.Get()}
	if n := profile.Count(); n != 3 {
		t.Errorf("%d arenas listed, want 3", n)
	}
	var b bytes.Buffer
	if err := profile.WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.HasPrefix(line, "#") {
			if !strings.Contains(line, "TestLiveProfile") {
				t.Errorf("the first function is another:\n%s", b.String())
			}
			break
		}
	}
	for _, a := range out[:2] {
		p.Put(a)
	}
	p.Put(silent)
	if n := profile.Count(); n != 1 {
		t.Errorf("%d arenas listed after two Puts, want 1", n)
	}
	runtime.KeepAlive(out)
	out = nil
	for range 1000 {
		if runtime.GC(); profile.Count() == 0 && p.Stats().Leaked == 1 { // which are noticed one after the other
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s := p.Stats(); profile.Count() != 0 || s.Leaked != 1 {
		t.Errorf("%d arenas listed after the last was leaked, %+v", profile.Count(), s)
	}
}
