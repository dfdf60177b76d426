package readall_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/readall"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/xunsafe"
)

var errRead = errors.New("read failed")

// reader delivers text in pieces of up to step bytes, and then err. It writes garbage behind them, as an io.Reader
// may.
type reader struct {
	text  string
	step  int
	early bool // err comes with the last bytes
	err   error
	into  [][]byte // the buffers
}

func (r *reader) Read(p []byte) (int, error) {
	r.into = append(r.into, p)
	n := copy(p[:min(len(p), r.step)], r.text)
	r.text = r.text[n:]
	for i := n; i < min(len(p), n+100); i++ {
		p[i] = 0xff
	}
	if n == 0 || r.early && r.text == "" {
		return n, r.err
	}
	return n, nil
}

// sized states its length.
type sized struct {
	*reader
	length int
}

func (s sized) Len() int { return s.length }

// The result has the bytes of the reader, after the bytes before, with Slack zeros behind them, for each reader, stated
// size and memory.
func TestRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	lengths := []int{0, 1, 7, 8, 9, 100, 511, 16367, 16368, 16369, 16384, 16385, 40_000, 300_000}
	for range 3000 {
		n := lengths[rng.IntN(len(lengths))]
		var zero arena.Arena
		m := readall.Memory{Does: "TestRead", Slack: []int{0, 1, 24}[rng.IntN(3)]}
		if rng.IntN(3) > 0 {
			m.Region = machine.RegionOf(&zero)
			if rng.IntN(3) == 0 {
				m.Region.Prepare()
				m.Region.BeginHeap()
			}
			if rng.IntN(2) == 0 {
				zero.AllocString("text") // so that the next address is not a multiple of 8
			}
		}
		r := &reader{text: strings.Repeat("text of a reader, ", n/18+1)[:n], step: []int{1, 100, 5000, 1 << 20}[rng.IntN(4)], early: rng.IntN(2) == 0, err: io.EOF}
		if n > 1000 {
			r.step = max(r.step, 100)
		}
		if rng.IntN(4) == 0 {
			r.err = errRead
		}
		var before []byte
		had := [][]byte{nil, {}, []byte("before")}[rng.IntN(3)]
		if had != nil {
			before = append(make([]byte, 0, len(had)+[]int{0, 1, 30, n, n + m.Slack, n + m.Slack + 1, 2*n + 50}[rng.IntN(7)]), had...)
			if m.Region != nil {
				before = arena.MakeSliceUninit[byte](&zero, len(had), cap(before))
				copy(before, had)
			}
			rest := before[len(had):cap(before)]
			for i := range rest {
				rest[i] = 0xff
			}
		}
		said := []int{-1, 0, 1, n / 2, n, n + 1, 1000 * n, 1 << 30}[rng.IntN(8)]
		var from io.Reader = sized{r, said}
		if rng.IntN(3) == 0 {
			from = struct{ io.Reader }{r}
		}
		used := zero.Stats().UsedBytes
		want, partial := string(had)+r.text, rng.IntN(2) == 0
		got, err := m.Read(before, from, partial)
		if wantErr := r.err; wantErr == io.EOF && err != nil || wantErr != io.EOF && err != wantErr {
			t.Fatalf("error %v", err)
		}
		if err != nil && !partial {
			if got != nil {
				t.Errorf("%d bytes with an error", len(got))
			}
			continue
		}
		if string(got) != want || got == nil {
			t.Fatalf("%d bytes, want %d: Slack %d, capacity %d, size %d, step %d", len(got), len(want), m.Slack, cap(before), said, r.step)
		}
		if slack := got[len(got) : len(got)+m.Slack]; bytes.Count(slack, []byte{0}) != m.Slack {
			t.Fatalf("%d bytes: Slack %x", n, slack)
		}
		switch {
		case before == nil:
			if cap(got) != len(got)+m.Slack {
				t.Errorf("%d bytes: capacity %d, want %d more", n, cap(got), m.Slack)
			}
			data := xunsafe.DataOf(got)
			if m.Region != nil && n > 0 && xunsafe.Number(data)%8 != 0 {
				t.Errorf("%d bytes: address %x", n, xunsafe.Number(data))
			}
			s, ok := from.(sized)
			if used = zero.Stats().UsedBytes - used; m.Region != nil && !m.Region.InHeapMode() && (!ok || said == n || said == n+1 && n < 10) && used > testkit.Round8(n+m.Slack+1) {
				t.Errorf("%d bytes use %d", n, used)
			}
			if ok && s.length == n && n > 0 && n <= 16<<10 {
				for _, p := range r.into {
					if xunsafe.Offset(data, xunsafe.DataOf(p))+uintptr(len(p)) > uintptr(n)+1 {
						t.Fatalf("%d bytes were not read in place", n)
					}
				}
			}
		case cap(before) >= len(had)+n+m.Slack && len(got) > 0 && (said <= n || from != any(sized{r, said})):
			if &got[:1][0] != &before[:1][0] || cap(got) != cap(before) {
				t.Errorf("%d bytes moved from a capacity of %d to %d", n, cap(before), cap(got))
			}
		}
	}
}

// A reader states its size by Len, or as a regular file, and io.LimitedReader bounds it.
func TestSize(t *testing.T) {
	name := t.TempDir()
	open := func(name string) *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	if err := os.WriteFile(name+"/file", make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	read := open(name + "/file")
	read.Seek(30, io.SeekStart)
	beyond := open(name + "/file")
	beyond.Seek(300, io.SeekStart)
	ten := func() io.Reader { return strings.NewReader("0123456789") }
	for name, x := range map[string]struct {
		r    io.Reader
		want int64
	}{
		"Len":                 {ten(), 10},
		"a negative Len":      {sized{length: -5}, 0},
		"unknown":             {struct{ io.Reader }{ten()}, 0},
		"a file":              {open(name + "/file"), 100},
		"the rest of a file":  {read, 70},
		"beyond a file":       {beyond, 0},
		"a directory":         {open(name), 0},
		"a lower limit":       {io.LimitReader(ten(), 4), 4},
		"a higher limit":      {io.LimitReader(ten(), 40), 10},
		"no limit":            {io.LimitReader(ten(), 0), 0},
		"a negative limit":    {io.LimitReader(ten(), -1), 0},
		"an inner limit":      {io.LimitReader(io.LimitReader(ten(), 3), 7), 3},
		"an outer limit":      {io.LimitReader(io.LimitReader(ten(), 7), 3), 3},
		"a limit of negative": {io.LimitReader(io.LimitReader(ten(), -1), 3), 0},
		"a limit of unknown":  {io.LimitReader(struct{ io.Reader }{ten()}, 3), 0},
	} {
		if got := readall.Size(x.r); got != x.want {
			t.Errorf("%s: Size = %d, want %d", name, got, x.want)
		}
	}
}

// silent returns no byte and no error until its turn.
type silent int

func (s *silent) Read(p []byte) (int, error) {
	if *s--; *s < 0 {
		return copy(p, "x"), nil
	}
	return 0, nil
}

func TestSome(t *testing.T) {
	for times, want := range map[silent]error{0: nil, 1: nil, 99: nil, 100: io.ErrNoProgress} {
		s, wantN := times, 1
		if want != nil {
			wantN = 0
		}
		if n, err := readall.Some(&s, make([]byte, 5)); n != wantN || err != want {
			t.Errorf("after %d empty reads: %d, %v, want %v", times, n, err, want)
		}
	}
}
