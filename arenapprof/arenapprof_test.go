package arenapprof

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// listed returns the number of arenas in the profile.
func listed() int {
	arenas.Lock()
	defer arenas.Unlock()
	return len(arenas.out)
}

// The profile contains exactly the arenas in use and does not keep them alive.
func TestLive(t *testing.T) {
	p := arena.NewArenaPool(256, 0)
	p.Put(p.Get())
	silent := p.Get()
	if n := listed(); n != 0 {
		t.Errorf("%d arenas listed of a pool that doesn't sample", n)
	}
	p.SetLeakSampling(1)
	out := []*arena.Arena{p.Get(), p.Get(), p.Get()}
	if n := listed(); n != 3 {
		t.Errorf("%d arenas listed, want 3", n)
	}
	for _, a := range out[:2] {
		p.Put(a)
	}
	p.Put(silent)
	if n := listed(); n != 1 {
		t.Errorf("%d arenas listed after two Puts, want 1", n)
	}
	runtime.KeepAlive(out)
	out = nil
	for range 1000 {
		if runtime.GC(); listed() == 0 && p.Stats().Leaked == 1 { // each is noticed separately
			break
		}
		time.Sleep(time.Millisecond)
	}
	if s := p.Stats(); listed() != 0 || s.Leaked != 1 {
		t.Errorf("%d arenas listed after the last was leaked, %+v", listed(), s)
	}
}

func small(p *arena.ArenaPool) *arena.Arena {
	a := p.Get()
	a.AllocBytes(10_000)
	return a
}

func large(p *arena.ArenaPool) *arena.Arena {
	a := p.Get()
	a.AllocBytes(1_000_000)
	a.Fork().AllocBytes(2_000_000)
	return a
}

// go tool pprof shows bytes and objects of each Get and its labels, multiplied by the rate.
func TestWriteProfile(t *testing.T) {
	if check.On {
		t.Skip("chunks are of other sizes")
	}
	exact, tenth := arena.NewArenaPool(1000, 1<<20), arena.NewArenaPool(1000, 1<<20)
	exact.SetLeakSampling(1)
	tenth.SetLeakSampling(10)
	var out []*arena.Arena
	pprof.Do(t.Context(), pprof.Labels("tenant", "Ada \"A\"", "kind", "large"), func(context.Context) {
		out = append(out, large(exact))
		pprof.Do(t.Context(), pprof.Labels("kind", "small"), func(context.Context) {
			for range 3 {
				out = append(out, small(exact))
			}
		})
	})
	const gets = 20_000
	for range gets {
		out = append(out, small(tenth))
	}
	top := func(index string, more ...string) map[string]int {
		flat := map[string]int{}
		args := append([]string{"-sample_index=" + index, "-unit=B", "-top", "-nodecount=50", "-nodefraction=0"}, more...)
		for _, line := range regexp.MustCompile(`(?m)^ *(\d[\d.e+]*)B? .*arenapprof\.(\w+)$`).FindAllStringSubmatch(pprofTool(t, args...), -1) {
			if n, err := strconv.ParseFloat(line[1], 64); n != 0 || err != nil {
				flat[line[2]] = int(n)
			}
		}
		return flat
	}
	got := top("inuse_bytes")
	if got["large"] != 3_000_000 {
		t.Errorf("an arena of 1 MB with a fork of 2 MB: %v", got)
	}
	if n := got["small"]; n < 9*gets*1000 || n > 11*gets*1000 {
		t.Errorf("%d arenas of 10,000 bytes have %d bytes, by a sample of one in ten", gets, n)
	}
	if want := map[string]int{"large": 1, "small": 3}; !maps.Equal(top("inuse_objects", "-tagfocus=kind=."), want) {
		t.Errorf("with labels: %v, want %v", top("inuse_objects", "-tagfocus=kind=."), want)
	}
	if got := top("inuse_bytes", "-tagfocus=kind=small"); got["small"] != 30_000 || len(got) != 1 {
		t.Errorf("of one label: %v", got)
	}
	if tags := pprofTool(t, "-tags"); !strings.Contains(tags, `Ada "A"`) || strings.Count(tags, "kind:") != 1 {
		t.Errorf("labels:\n%s", tags)
	}
	for i, a := range out { // the profile covers the process, including other tests
		p := tenth
		if i < 4 {
			p = exact
		}
		p.Put(a)
	}
}

// pprofTool returns the output of go tool pprof for the current profile.
func pprofTool(t *testing.T, args ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteProfile(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "arena.live")
	if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(testkit.GoTool(t), append(append([]string{"tool", "pprof"}, args...), name)...).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteProfileFails(t *testing.T) {
	if err := WriteProfile(full{}); err == nil || err.Error() != "full" {
		t.Errorf("%v", err)
	}
}
