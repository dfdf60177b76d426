package suite

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/suite/model"
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

// slabReplay runs a byte string on a Slab and the model.
type slabReplay[T any] struct {
	in    []byte
	slab  *arena.Slab[T]
	k     *kind[T]
	m     model.Region
	slots []*slot
	seed  uint64
}

func (r *slabReplay[T]) byte() byte {
	if len(r.in) == 0 {
		return 0
	}
	b := r.in[0]
	r.in = r.in[1:]
	return b
}

func (r *slabReplay[T]) run(in []byte) error {
	r.in = in
	chunkLen := int(r.byte()%33) + 1
	r.slab = arena.NewSlab[T](chunkLen)
	for n := 0; len(r.in) > 0 && n < maxOps; n++ {
		what, err := r.step(chunkLen)
		if used := r.m.Used(); err == nil && (r.slab.Stats().UsedBytes != used || r.slab.Stats().UsedBytes != used) {
			err = fmt.Errorf("UsedBytes %d, Stats %+v, want %d", r.slab.Stats().UsedBytes, r.slab.Stats(), used)
		}
		if err != nil {
			return fmt.Errorf("Slab[%v], chunkLen %d, operation %d: %s: %w", r.k, chunkLen, n, what, err)
		}
	}
	return r.contents()
}

func (r *slabReplay[T]) step(chunkLen int) (string, error) {
	op := r.byte()
	if r.m.Used() > 1<<17 {
		op = 15
	}
	switch {
	case op%16 < 8:
		p := r.slab.New()
		got := raw{unsafe.Pointer(p), 1, 1}
		return "New", r.made(got, 1)
	case op%16 < 14:
		n := int(r.byte()) % (2*chunkLen + 2)
		c := n + int(r.byte())%(chunkLen+1)
		what := fmt.Sprintf("MakeSlice(%d, %d)", n, c)
		s := r.slab.MakeSlice(n, c)
		if len(s) != n || cap(s) != c {
			return what, fmt.Errorf("len %d, cap %d", len(s), cap(s))
		}
		return what, r.made(rawOf(s), n)
	case op%16 == 14 || op < 128 && op != 15:
		return "contents", r.contents()
	}
	err := r.contents()
	if op == 255 {
		r.slab.Release()
		if st := r.slab.Stats(); err == nil && (st.RetainedBytes != 0 || st.Chunks != 0) {
			err = fmt.Errorf("after Release: %+v", st)
		}
	} else {
		r.slab.Reset()
	}
	r.m.Reset()
	r.slots = nil
	return "Reset or Release", err
}

func (r *slabReplay[T]) made(got raw, n int) error {
	if err := r.k.fresh(got, 0, got.c); err != nil {
		return err
	}
	class := model.Traced
	if r.k.flat() {
		class = model.Flat
	}
	s := &slot{typ: r.k, r: got, obj: r.m.Make(class, r.k.size(), n, got.c)}
	lo, hi := s.span()
	for _, o := range r.slots {
		if l, h := o.span(); lo < h && l < hi {
			return fmt.Errorf("[%#x, %#x) overlaps the live [%#x, %#x)", lo, hi, l, h)
		}
	}
	r.slots = append(r.slots, s)
	for i := range got.c {
		r.seed++
		s.obj.Elems[i] = r.seed
		r.k.fill(got, i, r.seed)
	}
	return nil
}

func (r *slabReplay[T]) contents() error {
	for _, s := range r.slots {
		for i, seed := range s.obj.Elems {
			if !r.k.check(s.r, i, seed) {
				return fmt.Errorf("element %d of %d has changed", i, s.obj.Cap())
			}
		}
	}
	return nil
}

func slabPrograms(in []byte) error {
	flat := slabReplay[flat24]{k: flatKinds[6].(*kind[flat24])}
	if err := flat.run(in); err != nil {
		return err
	}
	traced := slabReplay[mixedType]{k: tracedKinds[5].(*kind[mixedType])}
	return traced.run(in)
}

// FuzzSlab is FuzzArena for a Slab of a type without and one with pointers.
func FuzzSlab(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{7, 0, 0, 0, 9, 3, 4, 0, 0, 143, 0, 8, 14, 0, 0, 255, 0, 9, 1, 1, 14})
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := slabPrograms(in); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSlabRandom is FuzzSlab for every run of the tests.
func TestSlabRandom(t *testing.T) {
	for seed := range uint64(100) {
		rnd := rand.New(rand.NewPCG(seed, 0x736c6162))
		in := make([]byte, 32+rnd.IntN(600))
		for i := range in {
			in[i] = byte(rnd.Uint32())
		}
		if err := slabPrograms(in); err != nil {
			t.Fatalf("program %d: %v\ngo test fuzz v1\n[]byte(%q)", seed, err, in)
		}
	}
}
