package suite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

type (
	namedKey  string
	plainKey  struct{ a, b int32 }
	threeByte [3]byte
	padded    struct {
		a int8
		b int64
	}
	mixedKey struct {
		name string
		x    float64
		n    uint8
	}
	ifaceKey struct {
		n int
		v any
	}
)

// textKey returns the n-th of many strings, short and long, which differ in one byte or only in length.
func textKey(n int) string {
	return testkit.HeapText(uint64(n))[:3+n%7] + strings.Repeat("k", n%47) + string(rune('a'+n%26)) + fmt.Sprint(n/26)
}

var pointerKeys = func() (p [64]*uint64) {
	for i := range p {
		p[i] = new(uint64)
	}
	return
}()

// floatKey returns zeros of both signs, NaN, infinities, and numbers.
func floatKey(n int) float64 {
	switch n {
	case 0:
		return 0
	case 1:
		return math.Copysign(0, -1)
	case 2:
		return math.NaN()
	case 3:
		return math.Inf(1)
	}
	return float64(n) / 8
}

// paddedKey returns keys whose padding differs between equal keys.
var paddingOf byte

func paddedKey(n int) (k padded) {
	paddingOf++
	b := unsafe.Slice((*byte)(unsafe.Pointer(&k)), unsafe.Sizeof(k))
	for i := range b {
		b[i] = paddingOf
	}
	k.a, k.b = int8(n), int64(n)
	return
}

func anyKey(n int) any {
	switch n % 7 {
	case 0:
		return n
	case 1:
		return textKey(n)
	case 2:
		return floatKey(n % 5)
	case 3:
		return plainKey{int32(n), 1}
	case 4:
		return nil
	case 5:
		return pointerKeys[n%64]
	}
	return [2]any{n, textKey(n)}
}

// mapValue has two pointers that the collector must see.
type mapValue struct {
	text string
	id   *uint64
}

func newMapValue(id uint64) mapValue { return mapValue{testkit.HeapText(id), heapInt(id)} }

func mapValueID(v mapValue) (uint64, bool) {
	if v.id == nil {
		return 0, false
	}
	return *v.id, v.text == testkit.HeapText(*v.id)
}

// mapPrograms runs one program with keys and values of one of many types. Six types of keys are tested with
// both types of values, with and without pointers, the others with one, because each pair takes longer to
// compile than to test.
func mapPrograms(in []byte) error {
	if len(in) == 0 {
		return nil
	}
	kind, in := in[0], in[1:]
	flat := kind&1 != 0
	switch kind >> 1 % 16 {
	case 0:
		return mapProgram(in, flat, func(n int) int { return n * 7919 })
	case 1:
		return mapProgram(in, flat, textKey)
	case 2:
		return mapProgram(in, flat, floatKey)
	case 3:
		return mapProgram(in, flat, anyKey)
	case 4:
		return mapProgram(in, flat, paddedKey)
	case 5:
		return mapProgram(in, flat, func(n int) (k [40]byte) { k[n%40], k[39] = byte(n), byte(n>>8); return })
	case 6:
		return flatMapProgram(in, func(n int) threeByte { return threeByte{byte(n), byte(n >> 8), 7} })
	case 7:
		return flatMapProgram(in, func(n int) *uint64 { return pointerKeys[n%64] })
	case 8:
		return typedMapProgram(in, func(n int) mixedKey { return mixedKey{textKey(n), floatKey(n), uint8(n)} })
	case 9:
		return flatMapProgram(in, func(n int) (k [16]byte) { k[n%16] = byte(n); return })
	case 10:
		return typedMapProgram(in, func(n int) int8 { return int8(n) })
	case 11:
		return typedMapProgram(in, func(n int) plainKey { return plainKey{int32(n), -1} })
	case 12:
		return flatMapProgram(in, func(n int) float32 { return float32(floatKey(n)) })
	case 13:
		return typedMapProgram(in, func(n int) complex128 { return complex(floatKey(n%16), floatKey(n/16)) })
	case 14:
		return flatMapProgram(in, func(n int) namedKey { return namedKey(textKey(n)) })
	default:
		return typedMapProgram(in, func(n int) ifaceKey { return ifaceKey{n % 16, anyKey(n)} })
	}
}

func mapProgram[K comparable](in []byte, flat bool, key func(int) K) error {
	if flat {
		return flatMapProgram(in, key)
	}
	return typedMapProgram(in, key)
}

func flatMapProgram[K comparable](in []byte, key func(int) K) error {
	number := func(id uint64) uint64 { return id }
	whole := func(id uint64) (uint64, bool) { return id, true }
	return runMapProgram(in, func(n int) any { return key(n) }, func(a *arena.Arena, hint int) replayedMap {
		return &mapOf[K, uint64]{arena.NewMap[K, uint64](a, hint), number, whole}
	})
}

func typedMapProgram[K comparable](in []byte, key func(int) K) error {
	return runMapProgram(in, func(n int) any { return key(n) }, func(a *arena.Arena, hint int) replayedMap {
		return &mapOf[K, mapValue]{arena.NewMap[K, mapValue](a, hint), newMapValue, mapValueID}
	})
}

func runMapProgram(in []byte, key func(int) any, make func(a *arena.Arena, hint int) replayedMap) error {
	r := mapReplay{key: key, make: make}
	if err := r.run(in); err != nil {
		return fmt.Errorf("a %T: %w", r.m, err)
	}
	return nil
}

// FuzzMap searches for operations after which a Map differs from a builtin map.
func FuzzMap(f *testing.F) {
	f.Add([]byte{0, 1, 0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := mapPrograms(in); err != nil {
			t.Fatal(err)
		}
	})
}

func runMapPrograms(t *testing.T, programs, length int) {
	for seed := range uint64(programs) {
		rnd := rand.New(rand.NewPCG(seed, 0x6d617073))
		in := make([]byte, 64+rnd.IntN(length))
		for i := range in {
			in[i] = byte(rnd.Uint32())
		}
		in[0] = byte(seed)
		if seed/32%2 == 1 {
			// Many entries: mostly Set, with a wide range of keys.
			for i := 3; i < len(in); i++ {
				if in[i]%32 >= 20 && rnd.IntN(3) != 0 {
					in[i] -= 20
				}
			}
		}
		if err := mapPrograms(in); err != nil {
			t.Fatalf("program %d: %v\ngo test fuzz v1\n[]byte(%q)", seed, err, in)
		}
	}
}

// TestMapRandom runs FuzzMap's programs with fixed seeds, in every test run.
func TestMapRandom(t *testing.T) {
	programs := testkit.Rounds(640, 256) // 64 for each pair, with few entries and with many
	if testing.Short() || check.Race || check.ASan {
		programs = min(programs, 128)
	}
	runMapPrograms(t, programs, 4000)
}

// TestGCMapRandom is TestMapRandom under a hostile collector.
func TestGCMapRandom(t *testing.T) {
	programs := 64
	if hostile() || check.Race {
		programs = 32
	}
	runMapPrograms(t, programs, 1500)
}

// The collector sees all of a map: a pointer to one value keeps its key and the other entries, although the
// arena and the Map are gone.
func TestGCMapOutlivesArena(t *testing.T) {
	for _, n := range []int{1, 8, 9, 300} {
		m := arena.NewMap[string, *uint64](arena.NewArena(512, 0), 0)
		for i := range n {
			m.Set(testkit.HeapText(uint64(i)), heapInt(uint64(i)))
		}
		testkit.Collect(3)
		for i := range n {
			if p, ok := m.Get(testkit.HeapText(uint64(i))); !ok || *p != uint64(i) {
				t.Fatalf("%d of %d entries: %v, %t", i, n, p, ok)
			}
		}
		for k, p := range m.All() {
			if k != testkit.HeapText(*p) {
				t.Fatalf("%q: %d", k, *p)
			}
		}
	}
}
