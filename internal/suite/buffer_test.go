package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// bufferProgram interprets in as operations on a Buffer and a bytes.Buffer, with other allocations in
// between, and compares the two. Strings returned earlier must not change.
func bufferProgram(a *arena.Arena, in []byte) error {
	next := func() int {
		if len(in) == 0 {
			return 0
		}
		c := in[0]
		in = in[1:]
		return int(c)
	}
	b, want := arena.NewBuffer(a, next()%100), new(bytes.Buffer)
	type taken struct{ got, want string }
	var strs []taken
	text := strings.Repeat("0123456789\x00\xff\"ä", 200)
	when := time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)
	for len(in) > 0 {
		op, n := next()%24, next()
		piece := text[n%10 : n%10+n*(1+n%7)]
		switch op {
		case 0, 1:
			b.WriteString(piece)
			want.WriteString(piece)
		case 2, 3:
			fmt.Fprintf(b, "%d %q", n, piece)
			fmt.Fprintf(want, "%d %q", n, piece)
		case 4:
			b.WriteByte(byte(n))
			want.WriteByte(byte(n))
		case 5:
			r := rune(n * n * 17)
			got, _ := b.WriteRune(r)
			if w, _ := want.WriteRune(r); got != w {
				return fmt.Errorf("WriteRune(%x) is %d, want %d", r, got, w)
			}
		case 6:
			base := 2 + n%35
			b.AppendInt(math.MinInt64+int64(n), base)
			b.AppendUint(math.MaxUint64-uint64(n), base)
			want.WriteString(strconv.FormatInt(math.MinInt64+int64(n), base) + strconv.FormatUint(math.MaxUint64-uint64(n), base))
		case 7:
			f := math.Pow(-1.7, float64(n)*4)
			format, prec := "feEgGbxX"[n%8], n%5*100-1
			b.AppendFloat(f, format, prec, 64)
			want.WriteString(strconv.FormatFloat(f, format, prec, 64))
		case 8:
			b.AppendQuote(piece)
			want.WriteString(strconv.Quote(piece))
		case 9:
			b.AppendBool(n%2 == 0)
			fmt.Fprint(want, n%2 == 0)
		case 10:
			layout := []string{time.RFC3339Nano, time.RFC1123, "January January January January January January Monday"}[n%3]
			b.AppendTime(when, layout)
			want.WriteString(when.Format(layout))
		case 11, 12, 13:
			strs = append(strs, taken{b.String(), want.String()})
		case 14, 15:
			b.Truncate(b.Len() * n / 255)
			want.Truncate(want.Len() * n / 255)
		case 16:
			b.Reset()
			want.Reset()
		case 17:
			b.Grow(n)
			if b.Available() < n {
				return fmt.Errorf("%d available after Grow(%d)", b.Available(), n)
			}
		case 18:
			copied, err := b.ReadFrom(iotestReader(piece, n))
			if w, _ := want.WriteString(piece); int64(w) != copied || err != nil {
				return fmt.Errorf("ReadFrom read %d of %d bytes, error %v", copied, w, err)
			}
		case 19:
			var out strings.Builder
			if copied, err := b.WriteTo(&out); out.String() != want.String() || copied != int64(want.Len()) || err != nil {
				return fmt.Errorf("WriteTo wrote %d bytes %q, want %q, error %v", copied, out.String(), want, err)
			}
		case 20: // other pointer-free values: the buffer is no longer the newest slice
			clear(arena.MakeSliceUninit[byte](a, n, n))
		case 21:
			a.AllocString(piece)
		case 22:
			*arena.NewOf(a, [2]int{n, n}) = [2]int{}
		case 23:
			if b.Len() > 0 { // Bytes returns the buffer's memory, with no capacity beyond it
				p := b.Bytes()
				if _ = append(p, "over the end"...); cap(p) != len(p) {
					return fmt.Errorf("Bytes has %d bytes of capacity for %d", cap(p), len(p))
				}
			}
		}
		if string(b.Bytes()) != want.String() || b.Len() != want.Len() || b.Cap()-b.Len() != b.Available() {
			return fmt.Errorf("operation %d, %d: holds %q, want %q", op, n, b.Bytes(), want)
		}
		for i, s := range strs {
			if s.got != s.want {
				return fmt.Errorf("operation %d, %d: string %d is %q, was %q", op, n, i, s.got, s.want)
			}
		}
	}
	return nil
}

// iotestReader returns a reader that may or may not report its length.
func iotestReader(s string, n int) io.Reader {
	switch n % 4 {
	case 0:
		return strings.NewReader(s)
	case 1:
		return struct{ io.Reader }{strings.NewReader(s)}
	case 2:
		return io.LimitReader(strings.NewReader(s+"more"), int64(len(s)))
	}
	return io.MultiReader(strings.NewReader(s[:len(s)/2]), strings.NewReader(s[len(s)/2:]))
}

func bufferPrograms(in []byte) error {
	a := arena.NewArena(256, 0)
	for i := range 3 { // the second request uses recycled memory
		if err := bufferProgram(a, in); err != nil {
			return fmt.Errorf("cycle %d: %w", i, err)
		}
		a.Reset()
	}
	if err := bufferProgram(nil, in); err != nil {
		return fmt.Errorf("on the heap: %w", err)
	}
	return nil
}

// FuzzBuffer compares a Buffer with a bytes.Buffer.
func FuzzBuffer(f *testing.F) {
	f.Add([]byte{0, 0, 200, 11, 0, 14, 100, 0, 7, 11, 0, 16, 0, 0, 9})
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := bufferPrograms(in); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBufferRandom runs FuzzBuffer's programs with fixed seeds. It finds, for example, a Truncate after which
// the bytes shared with String can be overwritten.
func TestBufferRandom(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0x62756666))
		in := make([]byte, 8+rnd.IntN(120))
		for i := range in {
			in[i] = byte(rnd.Uint32())
		}
		if err := bufferPrograms(in); err != nil {
			t.Fatalf("program %d: %v\ngo test fuzz v1\n[]byte(%q)", seed, err, in)
		}
	}
}

// A Buffer that is the newest slice grows in place, also when strings are allocated between its writes, and
// counts with its exact size.
func TestBufferGrowsInPlace(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(64<<10, 0)
	a.AllocBytes(64 << 10) // a new arena begins with smaller chunks
	a.Reset()
	b := arena.NewBuffer(a, 100)
	if b.Cap() != 100 || b.Len() != 0 {
		t.Errorf("room for %d, holds %d", b.Cap(), b.Len())
	}
	b.WriteByte('x')
	first := &b.Bytes()[0]
	for range 1000 {
		a.AllocString("between")
		b.WriteString("0123456789")
	}
	if first != &b.Bytes()[0] {
		t.Error("it moved")
	}
	arena.New[int](a)
	b.Grow(b.Available() + 1)
	if first == &b.Bytes()[0] {
		t.Error("it grew over another value")
	}
}

// Reset keeps a buffer's memory unless a string shares it.
func TestBufferReset(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		b := arena.NewBuffer(a, 64)
		b.WriteString("first")
		p := &b.Bytes()[0]
		b.Reset()
		b.WriteString("second")
		if p != &b.Bytes()[0] {
			t.Error("a buffer that nobody shares moved")
		}
		s := b.String()
		b.Reset()
		b.WriteString("third")
		if s != "second" || b.String() != "third" {
			t.Errorf("%q, %q", s, b.String())
		}
	}
}

// A buffer that has moved since String shares nothing, so Reset keeps its memory.
func TestBufferResetAfterMove(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	b := arena.NewBuffer(a, 64)
	b.WriteString("shared")
	s := b.String()
	a.AllocBytes(8)
	b.Grow(1000)
	p := &b.Bytes()[0]
	b.Reset()
	b.WriteString("other")
	if p != &b.Bytes()[0] || s != "shared" {
		t.Errorf("it moved again, or wrote to the string, which is %q", s)
	}
}

func TestBufferEncodes(t *testing.T) {
	a := arena.NewArena(4096, 0)
	b := arena.NewBuffer(a, 0)
	if err := json.NewEncoder(b).Encode(map[string]int{"a": 1}); err != nil || b.String() != "{\"a\":1}\n" {
		t.Errorf("%q, error %v", b, err)
	}
	var zero arena.Buffer
	zero.WriteString("x")
	if zero.String() != "x" {
		t.Errorf("the zero Buffer holds %q", zero.String())
	}
}

func TestBufferPanics(t *testing.T) {
	for _, a := range []*arena.Arena{nil, arena.NewArena(4096, 0)} {
		b := arena.NewBuffer(a, 0)
		b.WriteString("xy")
		testkit.WantPanic(t, func() { arena.NewBuffer(a, -1) }, "arena: NewBuffer: negative size -1")
		testkit.WantPanic(t, func() { b.Grow(-1) }, "Buffer.Grow", "-1")
		testkit.WantPanic(t, func() { b.Truncate(-1) }, "Buffer.Truncate", "-1", "2")
		testkit.WantPanic(t, func() { b.Truncate(3) }, "Buffer.Truncate", "3", "2")
		testkit.WantPanic(t, func() { b.ReadFrom(liar(-1)) }, "Reader", "-1")
		if b.String() != "xy" {
			t.Errorf("it holds %q", b)
		}
		if a != nil {
			testkit.WantPanic(t, func() { b.Grow(math.MaxInt) }, "Buffer.Grow", "more than can be allocated")
			testkit.WantPanic(t, func() { arena.ReadAll(a, liar(1<<30)) }, "Reader")
		}
	}
}

// liar is a Reader that reports this number of bytes read.
type liar int

func (l liar) Read([]byte) (int, error) { return int(l), nil }

var errRead = errors.New("read failed")

func TestBufferErrors(t *testing.T) {
	b := arena.NewBuffer(arena.NewArena(4096, 0), 0)
	n, err := b.ReadFrom(io.MultiReader(strings.NewReader("part"), failing{}))
	if n != 4 || err != errRead || b.String() != "part" {
		t.Errorf("read %d, error %v, holds %q", n, err, b)
	}
	if n, err := b.WriteTo(short{}); n != 1 || err != io.ErrShortWrite {
		t.Errorf("wrote %d, error %v", n, err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errRead }

type short struct{}

func (short) Write([]byte) (int, error) { return 1, nil }
