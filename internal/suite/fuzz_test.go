package suite

import (
	"math/rand/v2"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// FuzzArena searches for sequences of operations after which an arena differs from the model: a changed live
// value, memory that is not zero or is returned twice, wrong byte counts. Such bugs take a boundary and a
// history, so hand-written tests miss most of them.
func FuzzArena(f *testing.F) {
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := runReplay(in); err != nil {
			t.Fatal(err)
		}
	})
}

// TestModelRandom runs FuzzArena's programs with fixed seeds, in every test run.
func TestModelRandom(t *testing.T) {
	programs := testkit.Rounds(300, 100)
	if check.Race || check.ASan {
		programs = min(programs, 100)
	}
	for seed := range uint64(programs) {
		rnd := rand.New(rand.NewPCG(seed, 0x65626270))
		in := make([]byte, 64+rnd.IntN(1200))
		for i := range in {
			in[i] = byte(rnd.Uint32())
		}
		if seed%2 == 1 {
			calm(in, rnd)
		}
		if seed%4 == 2 {
			isolate(in, rnd)
		}
		if err := runReplay(in); err != nil {
			t.Fatalf("program %d: %v\ngo test fuzz v1\n[]byte(%q)", seed, err, in)
		}
	}
}

// calm makes lengths small and ends of cycles rare, so that cycles get long.
func calm(in []byte, rnd *rand.Rand) {
	for i := 2; i < len(in); i++ {
		switch in[i] % replayOps {
		case 13, 14, 15:
			if rnd.IntN(4) != 0 {
				in[i] -= 12
			}
		}
		if rnd.IntN(2) == 0 {
			in[i] %= 40
		}
	}
}

// isolate makes the program use an isolating pool with small chunks, and more marks, rewinds, limits and ends
// of cycles, so that memory is taken back in cycles that began in the middle of a chunk.
func isolate(in []byte, rnd *rand.Rand) {
	in[0], in[1] = byte(rnd.IntN(7)), byte(6+rnd.IntN(6))
	for i := 2; i < len(in)-3; i++ {
		switch rnd.IntN(24) {
		case 0:
			i += copy(in[i:], []byte{15, 8, 12}) // Put, and Mark where the next cycle begins
		case 1, 2:
			in[i] = byte(12 + rnd.IntN(3))
		case 3, 4:
			in[i] = 13
		}
	}
}
