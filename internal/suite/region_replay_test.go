package suite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/suite/model"
)

// piece is memory that a trace has allocated, and its expected contents.
type piece struct {
	bytes []byte
	fill  byte
}

// replayRegion runs a trace on a new arena. It checks the bytes in use after every call, that objects are
// zeroed and aligned, that memory in use does not change, and that refusals happen.
func replayRegion(t *testing.T, trace model.RegionTrace) {
	t.Helper()
	a := arena.NewArena(trace.ChunkSize, trace.MaxRetained)
	foreign := arena.NewArena(64, 0).Mark()
	type place struct {
		mark   arena.Mark
		pieces int
	}
	marks := map[int]place{}
	var pieces []piece
	for i, op := range trace.Ops {
		at := len(pieces)
		switch op.Kind {
		case model.RegionObject:
			b := arena.MakeSlice[byte](a, op.N, op.N)
			for _, x := range b {
				if x != 0 {
					t.Fatalf("call %d, %v: not zero", i, op)
				}
			}
			if uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
				t.Fatalf("call %d, %v: misaligned", i, op)
			}
			pieces = append(pieces, piece{b, byte(i)})
			for k := range b {
				b[k] = byte(i)
			}
		case model.RegionText:
			s := a.AllocString(strings.Repeat(string([]byte{byte(i) & 127}), op.N))
			pieces = append(pieces, piece{unsafe.Slice(unsafe.StringData(s), len(s)), byte(i) & 127})
		case model.RegionLimit:
			a.SetLimit(op.N)
		case model.RegionRefuse:
			e, _ := replayPanic(func() { arena.MakeSlice[byte](a, op.N, op.N) }).(error)
			var over *arena.LimitError
			if !errors.As(e, &over) {
				t.Fatalf("call %d, %v: got %v", i, op, e)
			}
		case model.RegionMark:
			marks[op.N] = place{a.Mark(), len(pieces)}
		case model.RegionRewind:
			a.Rewind(marks[op.N].mark)
			at = marks[op.N].pieces
		case model.RegionStale, model.RegionForeign:
			m := foreign
			if op.Kind == model.RegionStale {
				m = marks[op.N].mark
			}
			if replayPanic(func() { a.Rewind(m) }) == nil {
				t.Fatalf("call %d, %v: accepted", i, op)
			}
		case model.RegionReset:
			a.Reset()
			at = 0
		case model.RegionRelease:
			a.Release()
			at = 0
		}
		for k, p := range pieces[:min(at, len(pieces))] {
			for _, x := range p.bytes {
				if x != p.fill {
					t.Fatalf("call %d, %v: piece %d holds %d, not %d", i, op, k, x, p.fill)
				}
			}
		}
		if op.Kind != model.RegionObject && op.Kind != model.RegionText {
			pieces = pieces[:at]
		}
		if a.Stats().UsedBytes != op.Used {
			t.Fatalf("call %d, %v: %d bytes are in use", i, op, a.Stats().UsedBytes)
		}
	}
}

// replayPanic returns the value of f's panic, or nil.
func replayPanic(f func()) (x any) {
	defer func() { x = recover() }()
	f()
	return nil
}

// The shared region traces give the same answers in both languages.
func TestRegionTraces(t *testing.T) {
	names, err := filepath.Glob("../../traces/*.region")
	if err != nil || len(names) < 12 {
		t.Fatalf("found %d traces: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			trace, err := model.ParseRegionTrace(string(text))
			if err != nil {
				t.Fatal(err)
			}
			replayRegion(t, trace)
		})
	}
}
