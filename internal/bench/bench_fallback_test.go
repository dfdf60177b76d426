package bench

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// BenchmarkFallbacks measures implementations for unusual cases beside the usual ones. An operation is one request.
//
//	fallback=heap  While pools are disabled, or if the runtime's layout is unknown, values are on the heap.
//	fallback=json  With Go 1.27, arenajson leaves structs with some tags to encoding/json.
//
// BenchmarkSelf in internal/goroutine and BenchmarkVectors in arenajson are about ports without assembly.
func BenchmarkFallbacks(b *testing.B) {
	p := arena.NewArenaPool(4<<10, 0)
	for _, disabled := range []bool{false, true} {
		b.Run(fallback("heap", disabled), func(b *testing.B) {
			arena.SetEnabled(!disabled)
			defer arena.SetEnabled(true)
			b.ReportAllocs()
			for range b.N {
				p.Do(func(a *arena.Arena) { sinkElement = document(a) })
			}
		})
	}
	type line struct {
		Name  string
		Count int
	}
	type tagged struct {
		Name  string `json:",case:strict"`
		Count int
	}
	doc := []byte("[" + strings.Repeat(`{"Name":"a name of a line","Count":12345},`, 99) + `{}]`)
	for _, left := range []bool{false, true} {
		b.Run(fallback("json", left), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				p.Do(func(a *arena.Arena) {
					var v any = new([]line)
					if left {
						v = new([]tagged)
					}
					if err := arenajson.Unmarshal(a, doc, v); err != nil {
						b.Fatal(err)
					}
				})
			}
		})
	}
}

func fallback(name string, used bool) string {
	if used {
		return "fallback=" + name
	}
	return "fallback=" + name + "/usual"
}
