package arenajson

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// spelling returns a JSON number, spelled in one of many ways and close to the edge cases.
func spelling(r *rand.Rand) string {
	digits := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = '0' + byte(r.IntN(10))
		}
		return string(b)
	}
	zeros := func() string { return strings.Repeat("0", r.IntN(1+[]int{0, 3, 25, 400}[r.IntN(4)])) }
	var s string
	switch r.IntN(6) {
	case 0: // between two floats, or close to that
		f := math.Abs(randomFloat(r))
		if r.IntN(3) == 0 {
			f = float64(float32(f))
		}
		if f >= math.MaxFloat64 || f == 0 {
			f = 1
		}
		x, y := new(big.Float).SetFloat64(f), new(big.Float).SetFloat64(math.Nextafter(f, math.Inf(1)))
		middle := new(big.Float).SetPrec(2000).Add(x, y)
		middle.Quo(middle, big.NewFloat(2))
		if s = middle.Text([]byte{'e', 'f'}[r.IntN(2)], 40+r.IntN(800)); r.IntN(2) == 0 {
			s = middle.Text('e', -1)
		}
	case 1:
		s = strconv.FormatFloat(math.Abs(randomFloat(r)), []byte{'e', 'f', 'g'}[r.IntN(3)], r.IntN(25), 64)
	case 2:
		s = []string{"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792", tooLarge64, tooLarge32, tooLarge32[:20], tooLarge64[:30]}[r.IntN(5)]
		if i := r.IntN(len(s)); r.IntN(2) == 0 {
			s = s[:i] + digits(1) + s[i+1:]
		}
		if s[0] == '0' {
			s = "1" + s[1:]
		}
		if r.IntN(2) == 0 {
			i := 1 + r.IntN(len(s)-1)
			s = fmt.Sprintf("%s.%se%d", s[:i], s[i:], []int{308, 38}[r.IntN(2)]+1-i)
		}
	default:
		if s = "0"; r.IntN(2) == 0 {
			s = string(byte('1'+r.IntN(9))) + digits(r.IntN(1+[]int{2, 18, 21, 900}[r.IntN(4)])) + zeros()
		}
		if r.IntN(3) > 0 {
			s += "." + zeros() + digits(1+r.IntN(1+[]int{2, 17, 21, 900}[r.IntN(4)])) + zeros()
		}
	}
	if !strings.Contains(s, "e") && r.IntN(3) > 0 {
		s += []string{"e", "E", "e+", "e-", "E-"}[r.IntN(5)] + zeros() + strconv.Itoa(r.IntN([]int{5, 25, 345, 420, 1500, 12_000, 200_000}[r.IntN(7)]))
	}
	if !isNumber(s) {
		return "1"
	}
	if r.IntN(4) == 0 {
		s = "-" + s
	}
	return s
}

// asStrconv compares all ways to decode a number with strconv.
func asStrconv(t *testing.T, a *arena.Arena, s string) {
	t.Helper()
	for _, bits := range []int{32, 64} {
		want, err := strconv.ParseFloat(s, bits)
		var got float64
		var gotErr error
		if bits == 32 {
			x := float32(-7)
			gotErr = Unmarshal(a, []byte(s), &x)
			got = float64(x)
		} else {
			got = -7
			gotErr = Unmarshal(a, []byte(s), &got)
			var x any
			if Unmarshal(a, []byte(s), &x); err == nil && math.Float64bits(x.(float64)) != math.Float64bits(want) || err != nil && x != nil {
				t.Fatalf("%s into any: %v, not %v", s, x, want)
			}
		}
		if err != nil {
			want = -7
		}
		if math.Float64bits(got) != math.Float64bits(want) || (err == nil) != (gotErr == nil) {
			t.Fatalf("%s, of %d bits: %v, %v; strconv has %v, %v", s, bits, got, gotErr, want, err)
		}
		if over := overflows(s, bits); len(s) <= mostDigits && over != (err != nil) {
			t.Fatalf("%s overflows %d bits: %v, strconv has %v", s, bits, over, err)
		}
	}
}

// Numbers have the values of strconv, regardless of their spelling.
func TestFloatsAsStrconv(t *testing.T) {
	half := new(big.Int).Lsh(big.NewInt(1), 1024)
	if half.Sub(half, new(big.Int).Lsh(big.NewInt(1), 970)); half.String() != tooLarge64 {
		t.Errorf("tooLarge64 must be %v", half)
	}
	a := arena.NewArena(64<<10, 0)
	for _, s := range []string{"0.00001234567890123456", "0.000000000000000000001234567890123456789", "100000000000000000000", "0.00000000000000000000000", "-0.0000000000000000000000e5",
		"9007199254740993.0000000000000000", "9007199254740993.0000000000000001", "9007199254740992.99999999999999999999", "1" + strings.Repeat("0", 308), "1" + strings.Repeat("0", 309),
		"0." + strings.Repeat("0", 400) + "1e401", "0." + strings.Repeat("0", 400) + "1e710", strings.Repeat("9", 400) + "e-400", strings.Repeat("9", 1000) + "e-690", strings.Repeat("9", 1000) + "e-692", strings.Repeat("123", 300) + "e-800",
		"0." + strings.Repeat("0", 1000) + strings.Repeat("9", 900) + "e1309", "1e99999", "1e100000", "0." + strings.Repeat("0", 100_000) + "1e100001"} {
		asStrconv(t, a, s)
	}
	r := rand.New(rand.NewPCG(31, 32))
	for range testkit.Rounds(300_000, 20_000) {
		asStrconv(t, a, spelling(r))
		a.Reset()
	}
}

// Numbers halfway between two float32s, or off by less than a float64 can represent, are rounded only once.
func TestFloatsRoundedOnce(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	r := rand.New(rand.NewPCG(37, 38))
	for range 5_000 {
		x := math.Float32frombits(r.Uint32() >> (1 + r.IntN(10)))
		if x > math.MaxFloat32/2 || x != x {
			continue
		}
		middle := (float64(x) + float64(math.Nextafter32(x, math.MaxFloat32))) / 2
		digits := new(big.Float).SetFloat64(middle).Text('e', -1)
		before, e, _ := strings.Cut(new(big.Float).SetFloat64(middle).Text('e', 200), "e")
		for _, s := range []string{digits, before + "1e" + e, new(big.Float).SetPrec(400).Sub(new(big.Float).SetPrec(400).SetFloat64(middle), new(big.Float).SetMantExp(big.NewFloat(middle), -90)).Text('e', 250)} {
			asStrconv(t, a, s)
		}
		a.Reset()
	}
}

// Integers of every length, and integers next to the minimum and maximum, have the values of strconv, and end
// at any other byte.
func TestIntegersAsStrconv(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	r := rand.New(rand.NewPCG(39, 40))
	for n := range testkit.Rounds(100_000, 20_000) {
		u := r.Uint64() >> r.IntN(64)
		if n%4 == 0 {
			u = []uint64{math.MaxUint64, math.MaxInt64, math.MaxInt64 + 1, 1e19}[r.IntN(4)] + r.Uint64N(3) - 1
		}
		s := strconv.FormatUint(u, 10)
		if u != 0 && n%5 == 0 {
			s += string('0' + rune(r.IntN(10)))
		}
		var gotU [1]uint64
		var gotI [1]int64
		wantU, errU := strconv.ParseUint(s, 10, 64)
		if err := Unmarshal(a, []byte("["+s+"]"), &gotU); (err == nil) != (errU == nil) || err == nil && gotU[0] != wantU {
			t.Fatalf("%s: %v, %v; strconv has %v, %v", s, gotU, err, wantU, errU)
		}
		wantI, errI := strconv.ParseInt("-"+s, 10, 64)
		if err := Unmarshal(a, []byte("[-"+s+"]"), &gotI); (err == nil) != (errI == nil) || err == nil && gotI[0] != wantI {
			t.Fatalf("-%s: %v, %v; strconv has %v, %v", s, gotI, err, wantI, errI)
		}
		at := 1 + r.IntN(len(s))
		for _, typ := range []reflect.Type{reflect.TypeFor[[]int64](), reflect.TypeFor[[]float64]()} {
			for _, before := range []string{"[", "[1."} {
				sameAsV1(t, a, typ, []byte(before+s[:at]+string(rune(n%128))+s[at:]+"]"), 0)
			}
		}
		a.Reset()
	}
}

func FuzzReadFloat(f *testing.F) {
	f.Add("0.00001234567890123456", uint64(1))
	a := arena.NewArena(64<<10, 0)
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		if !isNumber(s) {
			s = spelling(rand.New(rand.NewPCG(seed, 1)))
		}
		asStrconv(t, a, s)
		a.Reset()
	})
}

// parseInt, parseUint and parseFloat agree with strconv.
func TestTextsOfNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	all := append([]string{}, scalarTexts...)
	for range 20_000 {
		b := []byte(scalarTexts[r.IntN(len(scalarTexts))])
		if len(b) > 0 {
			b[r.IntN(len(b))] = "0123456789+-_.eExX"[r.IntN(18)]
		}
		all = append(all, string(b))
	}
	for _, s := range all {
		i, err := strconv.ParseInt(s, 10, 64)
		if x, ok := parseInt(s); ok != (err == nil) || ok && x != i {
			t.Errorf("%q as an integer: %v, %v; strconv has %v, %v", s, x, ok, i, err)
		}
		u, err := strconv.ParseUint(s, 10, 64)
		if x, ok := parseUint(s); ok != (err == nil) || ok && x != u {
			t.Errorf("%q without a sign: %v, %v; strconv has %v, %v", s, x, ok, u, err)
		}
		f, err := strconv.ParseFloat(s, 64)
		if x, ok := parseFloat(s, 64); ok != (err == nil) || ok && x != f && x == x {
			t.Errorf("%q as a float: %v, %v; strconv has %v, %v", s, x, ok, f, err)
		}
	}
}

// Floats with zeros after the point, or with more digits than a uint64 has, take at most as long as three
// other floats of their length. strconv took nearly six times as long.
func TestSpeedOfFloats(t *testing.T) {
	if testing.Short() || check.On || testkit.Emulated() || check.Race || check.ASan || viaReflect {
		t.Skip("speed")
	}
	r := rand.New(rand.NewPCG(35, 36))
	list := func(before string, digits int) []byte {
		var b strings.Builder
		for range 5_000 {
			fmt.Fprintf(&b, ",%s%d", before, 1+r.IntN(9))
			for range digits - 1 {
				b.WriteByte('0' + byte(r.IntN(10)))
			}
		}
		return []byte("[" + b.String()[1:] + "]")
	}
	a := arena.NewArena(1<<20, 16<<20)
	read := func(doc []byte) func() {
		return func() {
			var x []float64
			if err := Unmarshal(a, doc, &x); err != nil || len(x) != 5_000 {
				t.Fatal(err)
			}
			a.Reset()
		}
	}
	plain := list("1.", 17)
	for what, doc := range map[string][]byte{"zeros behind the point": list("0.0000", 17), "19 digits behind zeros": list("0.00", 19), "25 digits": list("1.", 25)} {
		const most = 3
		base, took := testkit.Best(100, read(plain), read(doc), func(base, took time.Duration) bool { return false })
		if times := float64(took) / float64(base) * float64(len(plain)) / float64(len(doc)); times > most {
			t.Errorf("%s: %.2f times as long a byte", what, times)
		} else {
			t.Logf("%s: %.2f times as long a byte", what, times)
		}
	}
}
