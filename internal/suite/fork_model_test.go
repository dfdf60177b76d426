package suite

import (
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
		parent := arena.NewArena(64<<rnd.IntN(5), 0)
		for range 3 {
			family := []*replay{newReplay(parent)}
			for range 1 + rnd.IntN(3) {
				f := family[rnd.IntN(len(family))].a.Fork()
				family = append(family, newReplay(f))
			}
			for step := range 200 {
				r := family[rnd.IntN(len(family))]
				r.in = make([]byte, 12)
				for i := range r.in {
					r.in[i] = byte(rnd.Uint32())
				}
				if op := r.in[0] % replayOps; op >= 13 && op <= 15 || op == 18 { // what ends a life, and so those of forks
					r.in[0] = 0
				}
				what, err := r.step()
				if err == nil && step%20 == 0 {
					err = r.contents()
				}
				if err != nil {
					t.Fatalf("program %d: %s: %v", seed, what, err)
				}
			}
			for _, r := range family {
				if err := r.contents(); err != nil || r.a.UsedBytes() != r.m.Used() {
					t.Fatalf("program %d, at the end: %v; %d bytes used, want %d", seed, err, r.a.UsedBytes(), r.m.Used())
				}
			}
			parent.Reset()
			for _, r := range family {
				if r.a.UsedBytes() != 0 {
					t.Fatalf("program %d: %d bytes after Reset", seed, r.a.UsedBytes())
				}
			}
		}
	}
}

func newReplay(a *arena.Arena) *replay {
	return &replay{a: a, chunk: 512, types: map[testType]bool{}, lanes: map[testType]func() (raw, error){}}
}
