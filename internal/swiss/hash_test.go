package swiss

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// build inserts keys into a new table that grows like an arena.Map.
func build[K comparable](keys []K) *Table[K, int] {
	t := new(Table[K, int])
	for i, k := range keys {
		p := t.Slot(k)
		if p == nil {
			t.Move(make([]Group[K, int], t.Wants()), nil, true)
			p = t.Slot(k)
		}
		*p = i
	}
	return t
}

// steps returns how many groups beyond the first a search visits, summed over all keys, and the maximum for
// one key.
func (t *Table[K, V]) steps(keys []K) (sum, most int) {
	mask := uint(len(t.groups)) - 1
	for _, k := range keys {
		n := 0
		for i, step := placeOf(t.hasher.hash(k)), uint(0); ; n++ {
			if g := &t.groups[i&mask]; g.holds(k) {
				break
			}
			step++
			i += step
		}
		sum += n
		most = max(most, n)
	}
	return
}

func (g *Group[K, V]) holds(k K) bool {
	for s := g.ctrl.taken(); s != 0; s = s.rest() {
		if g.keys[s.first()] == k {
			return true
		}
	}
	return false
}

// TestKeysSpread checks that ordered keys, as clients send them or an attacker of a weaker hash would choose
// them, spread like random keys under many secrets.
func TestKeysSpread(t *testing.T) {
	const n = 900 // half of the capacity of 256 groups
	words := map[string]func(i int) uint64{
		"random":          func(int) uint64 { return rand.Uint64() },
		"1, 2, 3":         func(i int) uint64 { return uint64(i) },
		"multiples of 8":  func(i int) uint64 { return uint64(i) << 3 },
		"pages":           func(i int) uint64 { return uint64(i) << 12 },
		"high words":      func(i int) uint64 { return uint64(i) << 32 },
		"top bits":        func(i int) uint64 { return uint64(i) << 54 },
		"both ends":       func(i int) uint64 { return uint64(i)<<48 | uint64(i) },
		"addresses":       func(i int) uint64 { return 0xc000100000 + uint64(i)*48 },
		"minus 1, 2, 3":   func(i int) uint64 { return -uint64(i) },
		"three bits":      func(i int) uint64 { return 1<<(i%11) | 1<<(i/11%11+11) | 1<<(i/121+22) },
		"golden sections": func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 },
		"floats":          func(i int) uint64 { return math.Float64bits(float64(i)) },
	}
	for name, key := range words {
		keys, pairs, texts := make([]uint64, n), make([][2]uint64, n), make([]string, n)
		swapped, bytes := make([][2]uint64, n), make([]string, n)
		for i := range keys {
			k := key(i)
			keys[i], pairs[i], swapped[i], texts[i] = k, [2]uint64{k, 7}, [2]uint64{7, k}, fmt.Sprint("name-", k)
			bytes[i] = fmt.Sprintf("%s%08b", strings.Repeat("x", i%40), k)
		}
		spread(t, name, keys)
		spread(t, name+" first of two", pairs)
		spread(t, name+" second of two", swapped)
		spread(t, name+" in a text", texts)
		spread(t, name+" in a long text", bytes)
	}
}

func spread[K comparable](t *testing.T, name string, keys []K) {
	t.Helper()
	const tables = 60
	bad, sums := 0, 0
	for range tables {
		sum, most := build(keys).steps(keys)
		sums += sum
		// Random keys need hardly any steps, because these tables are half full.
		if sum > len(keys)/8 || most > 6 {
			bad++
		}
	}
	if bad > 1 || sums > tables*len(keys)/25 {
		t.Errorf("%s: %d steps on for %d searches in %d tables, %d of them bad", name, sums, tables*len(keys), tables, bad)
	}
}

// Keys that collide in one table do not collide in the next, which has another secret.
func TestCollisionsAreOfOneTable(t *testing.T) {
	var keys []uint64
	a, b := build(make([]uint64, 1)), build(make([]uint64, 1))
	a.hasher.begin(64)
	b.hasher.begin(64)
	for k := uint64(0); len(keys) < 200; k++ {
		if a.hasher.hash(k)>>32%64 == 0 {
			keys = append(keys, k)
		}
	}
	same := 0
	for _, k := range keys {
		if b.hasher.hash(k)>>32%64 == 0 {
			same++
		}
	}
	if same > 30 {
		t.Errorf("%d of %d keys of one group share a group of another table", same, len(keys))
	}
	var texts []string
	s, u := build([]string{""}), build([]string{""})
	s.hasher.begin(64)
	u.hasher.begin(64)
	for k := 0; len(texts) < 200; k++ {
		if text := fmt.Sprint("a text of some length ", k); s.hasher.hash(text)%64 == 0 {
			texts = append(texts, text)
		}
	}
	same = 0
	for _, k := range texts {
		if u.hasher.hash(k)>>32%64 == 0 {
			same++
		}
	}
	if same > 30 {
		t.Errorf("%d of %d texts of one group share a group of another table", same, len(texts))
	}
}

// The hash depends on every byte of a text and on its length, at every length.
func TestTextHashReadsAll(t *testing.T) {
	s := secret{rand.Uint64(), rand.Uint64() | 1}
	seen := map[uint64]string{}
	for n := range 100 {
		text := make([]byte, n)
		note := func() {
			h := s.text(string(text))
			if was, ok := seen[h]; ok && was != string(text) {
				t.Fatalf("%q and %q hash alike", was, text)
			}
			seen[h] = string(text)
		}
		note()
		for i := range text {
			text[i] = 1
			note()
			text[i] = 0x80
			note()
			text[i] = 0
		}
	}
}

// TestLengthsCantBeMadeUpFor hashes texts of different lengths whose words cancel the difference of the
// lengths. If the length were only XORed or added, all of them would collide.
func TestLengthsCantBeMadeUpFor(t *testing.T) {
	for range 100 {
		s := secret{rand.Uint64(), rand.Uint64() | 1}
		for n := 9; n < 16; n++ {
			a := make([]byte, n)
			h := s.text(string(a))
			for d := 1; d < 8; d++ {
				for _, x := range []int{n ^ (n + d), d, -d} {
					b := make([]byte, n+d)
					b[n+d-8] = byte(x)
					c := make([]byte, n+d)
					c[0] = byte(x)
					if s.text(string(b)) == h || s.text(string(c)) == h {
						t.Fatalf("a text of %d bytes and one of %d hash alike", n, n+d)
					}
				}
			}
		}
	}
}

func TestKinds(t *testing.T) {
	type (
		named   int16
		word4   struct{ a, b int16 }
		padded4 struct {
			a int8
			b int16
		}
		blank struct {
			_ int32
			a int32
		}
	)
	kinds := []struct {
		got  kind
		want kind
	}{
		{kindOf[int](), word}, {kindOf[named](), word}, {kindOf[bool](), word}, {kindOf[*int](), word},
		{kindOf[chan int](), word}, {kindOf[uintptr](), word}, {kindOf[word4](), word}, {kindOf[[8]byte](), word},
		{kindOf[unsafe.Pointer](), word}, {kindOf[[1]struct{ x int64 }](), word},
		{kindOf[[3]byte](), plain}, {kindOf[[16]byte](), plain}, {kindOf[[2]uint64](), plain}, {kindOf[struct{}](), plain},
		{kindOf[string](), text},
		{kindOf[float32](), float32s}, {kindOf[float64](), float64s},
		{kindOf[padded4](), other}, {kindOf[blank](), other}, {kindOf[complex64](), other}, {kindOf[any](), other},
		{kindOf[error](), other}, {kindOf[[2]string](), other}, {kindOf[struct{ s string }](), other}, {kindOf[[1]float64](), other},
	}
	for i, k := range kinds {
		if k.got != k.want {
			t.Errorf("line %d: kind %d, want %d", i, k.got, k.want)
		}
	}
}

// Equal keys have equal hashes, even if their bytes differ.
func TestEqualKeysHashAlike(t *testing.T) {
	type blank struct {
		_ int32
		a int32
	}
	x, y := blank{a: 1}, blank{a: 1}
	*(*int32)(unsafe.Pointer(&y)) = 77
	hashAlike(t, x, y)
	zero := 0.0
	hashAlike(t, zero, -zero)
	hashAlike(t, zero, math.Copysign(0, -1))
	hashAlike(t, float32(zero), float32(math.Copysign(0, -1)))
	hashAlike(t, complex(zero, 1), complex(math.Copysign(0, -1), 1))
	hashAlike(t, any(zero), any(math.Copysign(0, -1)))
	hashAlike(t, [1]float64{0}, [1]float64{math.Copysign(0, -1)})
	hashAlike(t, "some text", strings.Join([]string{"some", "text"}, " "))
	hashAlike(t, any("some text"), any(strings.Join([]string{"some", "text"}, " ")))

	nan := build([]float64{math.NaN(), math.NaN()})
	nan.hasher.begin(64)
	if nan.hasher.hash(math.NaN()) == nan.hasher.hash(math.NaN()) {
		t.Error("NaNs hash alike, so that a map of them is a list")
	}
	nan32 := build([]float32{float32(math.NaN())})
	if nan32.hasher.hash(float32(math.NaN())) == nan32.hasher.hash(float32(math.NaN())) {
		t.Error("NaNs of 32 bits hash alike")
	}
}

func hashAlike[K comparable](t *testing.T, x, y K) {
	t.Helper()
	if x != y {
		t.Fatalf("%v != %v: no use of this test", x, y)
	}
	for range 10 {
		tab := build([]K{x})
		tab.hasher.begin(64)
		if tab.hasher.hash(x) != tab.hasher.hash(y) {
			t.Errorf("%s: %v hashes in two ways", reflect.TypeFor[K](), x)
		}
	}
}

// Clear changes the secret, so that the order of entries before says nothing about the order after.
func TestClearChangesTheSecret(t *testing.T) {
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
	}
	tab := build(keys)
	before := tab.hasher.secret
	if tab.Clear(); tab.hasher.secret == before || tab.Len() != 0 {
		t.Error("the secret is the same")
	}
}
