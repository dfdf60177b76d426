package suite

import (
	"math/rand/v2"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// TestForksAgainstTheModel is FuzzArena with many forks, which random programs rarely have.
func TestForksAgainstTheModel(t *testing.T) {
	programs := testkit.Rounds(300, 60)
	if check.On {
		programs = min(programs, 60)
	}
	for seed := range uint64(programs) {
		rnd := rand.New(rand.NewPCG(seed, 0x666f726b))
		in := make([]byte, 1500)
		for i := range in {
			if in[i] = byte(rnd.Uint32()); rnd.IntN(6) == 0 {
				in[i] = 17
				if i > 0 && in[i-1] == 17 {
					in[i] = byte(128 + rnd.IntN(128))
				}
			}
		}
		if seed%2 == 1 {
			calm(in, rnd)
		}
		if err := runReplay(in); err != nil {
			t.Fatalf("program %d: %v\ngo test fuzz v1\n[]byte(%q)", seed, err, in)
		}
	}
}
