package arenajson

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/ebbpool/arena/internal/xunsafe"
)

// put returns the text that one of the functions for reserved memory writes.
func put(write func(w xunsafe.Pointer) xunsafe.Pointer) []byte {
	buf := make([]byte, numberBytes+slack)
	w := xunsafe.DataOf(buf)
	return buf[:int(xunsafe.Offset(w, write(w)))]
}

func putFloat(f float64) []byte {
	return put(func(w xunsafe.Pointer) xunsafe.Pointer { return putFloat64(w, f, nil, nil) })
}

// The table of powers has the first 128 bits of each.
func TestPowers(t *testing.T) {
	for i, p := range powers {
		k := i + leastPower
		f := new(big.Float).SetPrec(5000).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(k, -k))), nil))
		if k < 0 {
			f.Quo(big.NewFloat(1).SetPrec(5000), f)
		}
		f.SetMantExp(f, 128-f.MantExp(nil))
		want, accuracy := f.Int(nil)
		got := new(big.Int).SetUint64(p.hi)
		got.Add(got.Lsh(got, 64), new(big.Int).SetUint64(p.lo))
		if got.Cmp(want) != 0 {
			t.Fatalf("10^%d is %x, not %x", k, got, want)
		}
		if exact := accuracy == big.Exact; exact != (0 <= k && k <= 55) {
			t.Errorf("10^%d: exact is %v", k, exact)
		}
	}
}

func expectedFloat(f float64) string {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b := strconv.AppendFloat(nil, f, format, -1, 64)
	if n := len(b); n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' {
		b = append(b[:n-2], b[n-1])
	}
	return string(b)
}

// Floats are written as by strconv: all powers of two and ten and their neighbors, decimals of all lengths,
// and random ones.
func TestFloatsAreStrconvs(t *testing.T) {
	check := func(f float64) {
		for _, f := range []float64{f, -f, math.Nextafter(f, math.Inf(1)), math.Nextafter(f, 0)} {
			if math.IsInf(f, 0) || math.IsNaN(f) {
				continue
			}
			b := putFloat(f)
			if len(b) > numberBytes-2 {
				t.Fatalf("%v takes %d bytes", f, len(b))
			}
			if want := expectedFloat(f); string(b) != want {
				t.Fatalf("%x is %s, not %s", math.Float64bits(f), b, want)
			}
		}
	}
	for e := -1074; e <= 1023; e++ {
		check(math.Ldexp(1, e))
		check(math.Ldexp(3, e))
		check(math.Ldexp(1<<53-1, e-60))
	}
	for e := -330; e <= 308; e++ {
		f, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
		check(f)
		check(9 * f)
	}
	check(0)
	check(math.MaxFloat64)
	r := rand.New(rand.NewPCG(7, 8))
	n := 300000
	if testing.Short() {
		n = 30000
	}
	for range n {
		check(math.Float64frombits(r.Uint64()))
		check(float64(r.Uint64N(1e17)>>r.IntN(57)) / math.Pow10(r.IntN(24)))
		check(r.Float64())
	}
}

func FuzzFloat(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, u uint64) {
		v := math.Float64frombits(u)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		if b := putFloat(v); string(b) != expectedFloat(v) {
			t.Fatalf("%x is %s, not %s", u, b, expectedFloat(v))
		}
	})
}

// Integers of all lengths, and next to powers of ten and two.
func TestIntegers(t *testing.T) {
	check := func(u uint64) {
		if got, want := put(func(w xunsafe.Pointer) xunsafe.Pointer { return putUint(w, u) }), strconv.FormatUint(u, 10); string(got) != want {
			t.Fatalf("%s is %s", want, got)
		}
		if got, want := put(func(w xunsafe.Pointer) xunsafe.Pointer { return putInt(w, int64(u)) }), strconv.FormatInt(int64(u), 10); string(got) != want {
			t.Fatalf("%s is %s", want, got)
		}
		if digitsOf(u) != len(strconv.FormatUint(u, 10)) {
			t.Fatalf("%d has %d digits", u, digitsOf(u))
		}
	}
	for p := uint64(1); ; p *= 10 {
		for d := range uint64(30) {
			check(p - d)
			check(p + d)
			check(p*d + d)
		}
		if p > math.MaxUint64/10 {
			break
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for i := range 64 {
		check(1<<i - 1)
		for range 1000 {
			check(r.Uint64() >> i)
		}
	}
	for u := range uint64(20000) {
		check(u)
	}
}
