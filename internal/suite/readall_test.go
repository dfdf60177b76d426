package suite

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// ReadAll returns the same as io.ReadAll. Unless there are other allocations in between, it uses no more memory
// than the result.
func TestReadAll(t *testing.T) {
	a := arena.NewArena(4096, 0)
	for _, n := range []int{0, 1, 7, 511, 512, 513, 4095, 4096, 5000, 100_000} {
		text := strings.Repeat("x", n)
		for kind := range 4 {
			for _, err := range []error{nil, errRead} {
				r := iotestReader(text, kind)
				if err != nil {
					r = io.MultiReader(r, failing{})
				}
				got, gotErr := arena.ReadAll(a, r)
				if string(got) != text || got == nil || gotErr != err || cap(got) != len(got) {
					t.Errorf("%d bytes, kind %d: got %d of capacity %d, error %v", n, kind, len(got), cap(got), gotErr)
				}
				if used := a.Stats().UsedBytes; kind != 1 && kind != 3 && err == nil && used > testkit.Round8(n+1) || n < 512 && used != testkit.Round8(n) {
					t.Errorf("%d bytes, kind %d: %d used", n, kind, used)
				}
				a.Reset()
			}
		}
	}
	if got, err := arena.ReadAll(nil, strings.NewReader("heap")); string(got) != "heap" || err != nil {
		t.Errorf("on the heap: %q, %v", got, err)
	}
}

// A reader that states no size, or a wrong one, uses as much memory as it has bytes.
func TestReadAllLeavesNothing(t *testing.T) {
	testkit.NeedsReuse(t)
	for _, n := range []int{0, 1, 600, 16 << 10, 16<<10 - 15, 100_000, 1 << 20} {
		for _, said := range []int{math.MinInt, -1, 0, 1, n / 2, n, n + 1, 100 * n, math.MaxInt - 1, math.MaxInt} {
			a := arena.NewArena(4096, 0)
			got, err := arena.ReadAll(a, saying{io.LimitReader(zeros{}, int64(n)), said})
			if len(got) != n || err != nil {
				t.Fatalf("%d bytes, Len %d: %d bytes, error %v", n, said, len(got), err)
			}
			used := a.Stats().UsedBytes
			if most := testkit.Round8(n) + 16<<10; used > most { // the initial capacity, if the reader overstates its size
				t.Errorf("%d bytes, Len %d: %d bytes used, want at most %d", n, said, used, most)
			}
		}
	}
}

// A chunked body, or another reader of unknown size, fits into a limit of 1.25 times its size. So does text
// that ReadFrom appends to an empty Buffer.
func TestReadAllNeedsTheBytes(t *testing.T) {
	testkit.NeedsReuse(t)
	for n := 10_000; n < 4<<20; n = n*5/4 + 7 {
		for name, read := range map[string]func(a *arena.Arena, r io.Reader) (int, error){
			"ReadAll": func(a *arena.Arena, r io.Reader) (int, error) { b, err := arena.ReadAll(a, r); return len(b), err },
			"ReadFrom": func(a *arena.Arena, r io.Reader) (int, error) {
				n, err := arena.NewBuffer(a, 0).ReadFrom(r)
				return int(n), err
			},
		} {
			for _, said := range []int{0, n, math.MaxInt} {
				a := arena.NewArena(1024, 0)
				a.SetLimit(n * 5 / 4)
				for range 3 {
					if got, err := read(a, saying{io.LimitReader(zeros{}, int64(n)), said}); got != n || err != nil {
						t.Errorf("%s: %d bytes, Len %d: %d bytes, error %v", name, n, said, got, err)
					}
					a.Reset()
				}
			}
		}
	}
}

// A saying states its size with Len.
type saying struct {
	io.Reader
	n int
}

func (s saying) Len() int { return s.n }

// Collected pieces count against the limit until they are copied, also for readers that fail.
func TestReadAllCountsWhatItCollects(t *testing.T) {
	pool := arena.NewArenaPool(1024, 0)
	pool.SetLimit(0, 256<<10)
	a, other := pool.Get(), pool.Get()
	for _, end := range []error{io.EOF, errRead} {
		for _, fail := range []bool{false, true} {
			read, refused := 0, false
			func() {
				defer func() {
					if v := recover(); v != nil {
						if !fail || v != "reader" {
							t.Errorf("ReadAll panicked with %v", v)
						}
					}
				}()
				arena.ReadAll(a, readerFunc(func(p []byte) (int, error) {
					if read >= 200<<10 {
						func() {
							defer func() { refused = recover() != nil }()
							other.AllocBytes(100 << 10)
						}()
						if fail {
							panic("reader")
						}
						return 0, end
					}
					read += len(p)
					return len(p), nil
				}))
			}()
			if !refused {
				t.Errorf("end %v, panic %t: what waits was not counted", end, fail)
			}
			a.Release()
			other.AllocBytes(200 << 10) // the pieces no longer count
			other.Release()
		}
	}
	pool.Put(a)
	pool.Put(other)
	if s := pool.Stats(); s.InUseBytes != 0 {
		t.Errorf("%d bytes are in use", s.InUseBytes)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestReadAllOfAZeroArena(t *testing.T) {
	for _, n := range []int{0, 1, 100_000} {
		var a arena.Arena
		if got, err := arena.ReadAll(&a, io.LimitReader(zeros{}, int64(n))); len(got) != n || err != nil {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
	}
}

func TestReadAllFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	text := strings.Repeat("0123456789", 1000)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Seek(5000, io.SeekStart)
	a := arena.NewArena(64, 0)
	a.SetLimit(5500) // fits the rest, not the whole file
	if got, err := arena.ReadAll(a, f); string(got) != text[5000:] || err != nil {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

// A body over the limit is refused at most 16 KB after the limit is reached, not after it was read
// completely.
func TestReadAllLimit(t *testing.T) {
	for _, tells := range []bool{true, false} {
		a := arena.NewArena(1024, 0)
		a.SetLimit(64 << 10)
		body := bytes.NewReader(make([]byte, 1<<20))
		var r io.Reader = body
		if !tells {
			r = struct{ io.Reader }{body}
		}
		func() {
			defer func() {
				err, _ := recover().(error)
				var limit *arena.LimitError
				if !errors.As(err, &limit) {
					t.Errorf("tells %t: %v", tells, err)
				}
			}()
			arena.ReadAll(a, r)
		}()
		if read := 1<<20 - body.Len(); read > 80<<10 || tells && read > 64<<10 {
			t.Errorf("tells %t: %d bytes were read", tells, read)
		}
		a.Reset()
		if got, err := arena.ReadAll(a, strings.NewReader("fine")); string(got) != "fine" || err != nil {
			t.Errorf("afterwards: %q, %v", got, err)
		}
	}
}

// A reader may allocate from the arena and mark it.
func TestReadAllReaderAllocates(t *testing.T) {
	for _, n := range []int{1, 600, 40_000} {
		a := arena.NewArena(64<<10, 0)
		var m arena.Mark
		var made []byte
		used, text := 0, strings.Repeat("x", n)
		from := strings.NewReader(text)
		got, err := arena.ReadAll(a, readerFunc(func(p []byte) (int, error) {
			n, err := from.Read(p)
			if made == nil {
				made = arena.CloneSlice(a, []byte("made by the reader"))
			}
			if err == io.EOF {
				m, used = a.Mark(), a.Stats().UsedBytes
			}
			return n, err
		}))
		if string(got) != text || err != nil {
			t.Errorf("%d bytes, want %d, error %v", len(got), n, err)
		}
		testkit.Dirty(a.AllocBytes(2000))
		if string(got) != text || string(made) != "made by the reader" {
			t.Errorf("%d bytes: %.20q, %q", n, got, made)
		}
		a.Rewind(m) // frees the result
		if after := a.Stats().UsedBytes; after != used || string(made) != "made by the reader" {
			t.Errorf("%d bytes used after the rewind, %d when it was marked; %q", after, used, made)
		}
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A reader may write to the whole buffer that it is given. ReadAll gives back the unused end, which must be
// cleared before it is used again.
func TestReadAllGivesBackDirtyMemory(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	got, err := arena.ReadAll(a, readerFunc(func(p []byte) (int, error) { testkit.Dirty(p); return 1, io.EOF }))
	if len(got) != 1 || err != nil {
		t.Fatalf("%d bytes, error %v", len(got), err)
	}
	if s := arena.MakeSlice[byte](a, 5000, 5000); !testkit.AllZero(s) {
		t.Error("memory that a reader has written is not zero")
	}
}
