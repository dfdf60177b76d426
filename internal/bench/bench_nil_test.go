package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
)

// BenchmarkNil compares each function, called with a nil arena, with the equivalent plain Go; an operation is
// one value. The arena is a variable, so that the compiler does not know that it is nil.
func BenchmarkNil(b *testing.B) {
	text, raw, list, upper := strings.Clone(textPiece), []byte(textPiece), []string{textPiece, "and", textPiece}, strings.ToUpper(textPiece)
	for _, f := range []struct {
		name       string
		plain, nil func(a *arena.Arena)
	}{
		{"New", func(*arena.Arena) { sinkPtr = new(ptr64) }, func(a *arena.Arena) { sinkPtr = arena.New[ptr64](a) }},
		{"NewOf", func(*arena.Arena) { sinkPtr = &ptr64{name: text, a: 1} }, func(a *arena.Arena) { sinkPtr = arena.NewOf(a, ptr64{name: text, a: 1}) }},
		{"MakeSlice", func(*arena.Arena) { sinkInts = make([]int, 8, 16) }, func(a *arena.Arena) { sinkInts = arena.MakeSlice[int](a, 8, 16) }},
		{"SliceOf", func(*arena.Arena) { sinkTexts = []string{text, "and"} }, func(a *arena.Arena) { sinkTexts = arena.SliceOf(a, text, "and") }},
		{"CloneSlice", func(*arena.Arena) { sinkTexts = slices.Clone(list) }, func(a *arena.Arena) { sinkTexts = arena.CloneSlice(a, list) }},
		{"Collect", func(*arena.Arena) { sinkTexts = slices.Collect(slices.Values(list)) }, func(a *arena.Arena) { sinkTexts = arena.Collect(a, slices.Values(list)) }},
		{"Append", func(*arena.Arena) { sinkInts = append([]int(nil), 1) }, func(a *arena.Arena) { sinkInts = arena.Append(a, nil, 1) }},
		{"AllocString", func(*arena.Arena) { sinkStr = strings.Clone(text) }, func(a *arena.Arena) { sinkStr = a.AllocString(text) }},
		{"AllocBytesToString", func(*arena.Arena) { sinkStr = string(raw) }, func(a *arena.Arena) { sinkStr = a.AllocBytesToString(raw) }},
		{"AllocBytes", func(*arena.Arena) { sinkRaw = make([]byte, len(raw)) }, func(a *arena.Arena) { sinkRaw = a.AllocBytes(len(raw)) }},
		{"Concat", func(*arena.Arena) { sinkStr = text + ", " + text }, func(a *arena.Arena) { sinkStr = a.Concat(text, ", ", text) }},
		{"Join", func(*arena.Arena) { sinkStr = strings.Join(list, ", ") }, func(a *arena.Arena) { sinkStr = a.Join(list, ", ") }},
		{"ToLower", func(*arena.Arena) { sinkStr = strings.ToLower(upper) }, func(a *arena.Arena) { sinkStr = a.ToLower(upper) }},
		{"Buffer", func(*arena.Arena) {
			var w strings.Builder
			w.Grow(128)
			w.WriteString(text)
			w.WriteByte(' ')
			w.WriteString(text)
			sinkStr = w.String()
		}, func(a *arena.Arena) {
			w := arena.NewBuffer(a, 128)
			w.WriteString(text)
			w.WriteByte(' ')
			w.WriteString(text)
			sinkStr = w.String()
		}},
	} {
		b.Run("func="+f.name+"/alloc=plain", func(b *testing.B) {
			for range b.N {
				f.plain(noArena)
			}
		})
		b.Run("func="+f.name+"/alloc=nil", func(b *testing.B) {
			for range b.N {
				f.nil(noArena)
			}
		})
	}
}

var (
	noArena   *arena.Arena
	sinkTexts []string
	sinkRaw   []byte
)
