package suite

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
)

// Operations by turns on an arena and its forks, each compared with a model of its
// own.
func TestForksAgainstTheModel(t *testing.T) {
	programs := 40
	if testing.Short() || check.On {
		programs = 8
	}
	for seed := range uint64(programs) {
		rnd := rand.New(rand.NewPCG(seed, 0x666f726b))
		in := make([]byte, 8000)
		for i := range in {
			in[i] = byte(rnd.Uint32())
		}
		if err := forkProgram(in); err != nil {
			t.Fatalf("program %d: %v", seed, err)
		}
	}
}

// FuzzForks is the same with whatever comes.
func FuzzForks(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("an arena, its forks, and theirs: each has its own memory"))
	rnd := rand.New(rand.NewPCG(1, 2))
	in := make([]byte, 2000)
	for i := range in {
		in[i] = byte(rnd.Uint32())
	}
	f.Add(in)
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := forkProgram(in); err != nil {
			t.Error(err)
		}
	})
}

// forkProgram works on an arena and its forks as the bytes say, and looks after each
// life whether all is gone.
func forkProgram(in []byte) error {
	next := func() (b byte) {
		if len(in) > 0 {
			b, in = in[0], in[1:]
		}
		return b
	}
	parent := arena.NewArena(64<<(next()%5), 0)
	for first := true; first || len(in) > 0; first = false {
		family := []*replay{newReplay(parent)}
		for range 200 {
			if b := next(); b%32 == 31 && len(family) < 8 {
				f := family[int(b/32)%len(family)].a.Fork()
				family = append(family, newReplay(f))
			}
			r := family[int(next())%len(family)]
			r.in = make([]byte, 12)
			for i := range r.in {
				r.in[i] = next()
			}
			if op := r.in[0] % replayOps; op >= 13 && op <= 15 || op == 18 { // what ends a life, and so those of forks
				r.in[0] = 0
			}
			if what, err := r.step(); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
			if len(in) == 0 {
				break
			}
		}
		for _, r := range family {
			if err := r.contents(); err != nil || r.a.UsedBytes() != r.m.Used() {
				return fmt.Errorf("at the end of a life: %v; %d bytes used, want %d", err, r.a.UsedBytes(), r.m.Used())
			}
		}
		parent.Reset()
		for _, r := range family {
			if used := r.a.UsedBytes(); used != 0 {
				return fmt.Errorf("%d bytes after Reset", used)
			}
		}
	}
	return nil
}

func newReplay(a *arena.Arena) *replay {
	return &replay{a: a, chunk: 512, types: map[testType]bool{}, lanes: map[testType]func() (raw, error){}}
}
