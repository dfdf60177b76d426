package suite

import (
	"math/rand/v2"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// FuzzArena finds sequences of operations after which an arena differs from
// the model: a live value changed, memory handed out dirty or twice, bytes
// lost or invented. Hand-written tests miss most of them, because it takes a
// boundary and a history.
func FuzzArena(f *testing.F) {
	f.Add([]byte{0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := runReplay(in); err != nil {
			t.Fatal(err)
		}
	})
}

// TestModelRandom is FuzzArena for every run of the tests: without it, a
// break of the contract would wait for somebody to fuzz.
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

// calm makes a program's lengths small and its ends of epoch rare, so that
// epochs get long.
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

// isolate makes a program's arena one of a pool that isolates, its chunks small, and of
// its operations more marks, rewinds, limits and ends of epoch: memory that is taken back,
// of an epoch that began in the middle of a chunk.
func isolate(in []byte, rnd *rand.Rand) {
	in[0], in[1] = byte(rnd.IntN(7)), byte(6+rnd.IntN(6))
	for i := 2; i < len(in)-3; i++ {
		switch rnd.IntN(24) {
		case 0:
			i += copy(in[i:], []byte{15, 8, 12}) // Put, and Mark where the next one begins
		case 1, 2:
			in[i] = byte(12 + rnd.IntN(3))
		case 3, 4:
			in[i] = 13
		}
	}
}
