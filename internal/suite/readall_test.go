package suite

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/testkit"
)

// ReadAll returns what io.ReadAll does, and no more of the arena is used than the
// result has where nothing else came in between.
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

// A reader that does not tell takes at most twice what it has for the result, and
// as much as it has for what was left behind. (Where the checks for misuse are on,
// nothing that was left is given back.)
func TestReadAllLeavesLittle(t *testing.T) {
	testkit.NeedsReuse(t)
	a := arena.NewArena(4096, 0)
	const n = 1 << 20
	if _, err := arena.ReadAll(a, struct{ io.Reader }{io.LimitReader(zeros{}, n)}); err != nil {
		t.Fatal(err)
	}
	if used := a.Stats().UsedBytes; used > 3*n+8192 {
		t.Errorf("%d bytes used for %d", used, n)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

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
	a.SetLimit(5500) // for what is left to read, not for the whole file
	if got, err := arena.ReadAll(a, f); string(got) != text[5000:] || err != nil {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

// A body beyond the limit is refused before it is read whole: at once where the
// reader tells, and else when what was read has no more capacity.
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
		if read := 1<<20 - body.Len(); read > 64<<10 || tells && read != 0 {
			t.Errorf("tells %t: %d bytes were read", tells, read)
		}
		a.Reset()
		if got, err := arena.ReadAll(a, strings.NewReader("fine")); string(got) != "fine" || err != nil {
			t.Errorf("afterwards: %q, %v", got, err)
		}
	}
}

// What ReadAll gives back is not taken back from under a mark or a value that a
// reader made.
func TestReadAllReaderAllocates(t *testing.T) {
	a := arena.NewArena(64<<10, 0)
	var m arena.Mark
	var made []byte
	r := readerFunc(func(p []byte) (int, error) {
		if made == nil {
			made = arena.CloneSlice(a, []byte("made by the reader"))
			return copy(p, "x"), nil
		}
		m = a.Mark()
		return 0, io.EOF
	})
	got, _ := arena.ReadAll(a, r)
	was := a.Stats().UsedBytes
	testkit.Dirty(a.AllocBytes(2000))
	if string(got) != "x" || string(made) != "made by the reader" {
		t.Errorf("%q, %q", got, made)
	}
	a.Rewind(m)
	if used := a.Stats().UsedBytes; used != was {
		t.Errorf("%d bytes used after the rewind, %d when it was marked", used, was)
	}

	a.Reset()
	made = nil
	got, _ = arena.ReadAll(a, readerFunc(func(p []byte) (int, error) { m = a.Mark(); return copy(p, "y"), io.EOF }))
	used := a.Stats().UsedBytes
	a.AllocBytes(100)
	a.Rewind(m)
	if a.Stats().UsedBytes != used || string(got) != "y" {
		t.Errorf("%d bytes used, %d when it was marked; %q", a.Stats().UsedBytes, used, got)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A reader may write to all the capacity that it is given. What ReadAll gives back of
// that is not zero any more, and the next who gets it must get it cleared.
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
