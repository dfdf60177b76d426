package suite

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/arenareflect"
	"github.com/ebbpool/arena/internal/testkit"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// bytesBy are the functions that allocate bytes. Each allocates a copy of s, or of a part of it.
var bytesBy = map[string]func(a *arena.Arena, s string) []byte{
	"AllocString":        func(a *arena.Arena, s string) []byte { return xunsafe.ViewBytes(a.AllocString(s)) },
	"AllocBytesToString": func(a *arena.Arena, s string) []byte { return xunsafe.ViewBytes(a.AllocBytesToString([]byte(s))) },
	"Concat":             func(a *arena.Arena, s string) []byte { return xunsafe.ViewBytes(a.Concat(s[:1], s[1:])) },
	"Join":               func(a *arena.Arena, s string) []byte { return xunsafe.ViewBytes(a.Join([]string{s, s}, "-")) },
	"ToUpper":            func(a *arena.Arena, s string) []byte { return xunsafe.ViewBytes(a.ToUpper(s + "é")) },
	"Sprintf":            func(a *arena.Arena, s string) []byte { return xunsafe.ViewBytes(a.Sprintf("%q", s)) },
	"AllocBytes":         func(a *arena.Arena, s string) []byte { return append(a.AllocBytes(len(s))[:0], s...) },
	"MakeSliceUninit":    func(a *arena.Arena, s string) []byte { return append(arena.MakeSliceUninit[byte](a, 0, len(s)), s...) },
	"CloneSlice":         func(a *arena.Arena, s string) []byte { return arena.CloneSlice(a, []byte(s)) },
	"Append":             func(a *arena.Arena, s string) []byte { return arena.Append(a, arena.SliceOf(a, s[0]), []byte(s)...) },
	"ReadAll": func(a *arena.Arena, s string) []byte {
		b, _ := arena.ReadAll(a, strings.NewReader(s))
		return b
	},
	"ReadAll of a stream": func(a *arena.Arena, s string) []byte {
		b, _ := arena.ReadAll(a, struct{ io.Reader }{strings.NewReader(s)})
		return b
	},
	"Buffer": func(a *arena.Arena, s string) []byte {
		b := arena.NewBuffer(a, len(s)%5)
		b.WriteString(s)
		b.ReadFrom(strings.NewReader(s))
		return b.Bytes()
	},
	"arenareflect.MakeSlice": func(a *arena.Arena, s string) []byte {
		return append(arenareflect.MakeSlice(a, reflect.TypeFor[[]byte](), 0, len(s)).Bytes(), s...)
	},
	"Marshal": func(a *arena.Arena, s string) []byte {
		b, _ := arenajson.Marshal(a, &s)
		return b
	},
	"Unmarshal": func(a *arena.Arena, s string) []byte {
		var t string
		arenajson.UnmarshalRead(a, strings.NewReader(`"`+s+`"`), &t)
		return xunsafe.ViewBytes(t)
	},
	"Unmarshal of base64": func(a *arena.Arena, s string) []byte {
		var b []byte
		arenajson.Unmarshal(a, []byte(`"`+strings.Repeat("QUJD", len(s)/4)+`"`), &b)
		return b
	},
	"Parse": func(a *arena.Arena, s string) []byte {
		v, _ := arenajson.Parse(a, []byte(`["`+s+`"]`))
		return xunsafe.ViewBytes(v.Get(0).String())
	},
}

// Bytes that one function has allocated are not changed by another one, in arenas of every kind.
func TestBytesStayApart(t *testing.T) {
	isolating := arena.NewAutoPool(0)
	isolating.SetIsolation(true)
	kinds := map[string]func() *arena.Arena{
		"new":      func() *arena.Arena { return arena.NewArena(512, 0) },
		"nil":      func() *arena.Arena { return nil },
		"pooled":   arena.NewAutoPool(0).Get,
		"isolated": isolating.Get,
		"fork":     func() *arena.Arena { return arena.NewArena(512, 0).Fork() },
		"on the heap": func() *arena.Arena {
			arena.SetEnabled(false)
			defer arena.SetEnabled(true)
			return arena.NewAutoPool(0).Get()
		},
	}
	names := slices.Sorted(maps.Keys(bytesBy))
	for kind, get := range kinds {
		t.Run(kind, func(t *testing.T) {
			type value struct {
				by         string
				got, first []byte
			}
			rnd := rand.New(rand.NewPCG(7, 8))
			var texts [26]string
			for i := range texts {
				texts[i] = strings.Repeat(string(rune('a'+i)), 200)
			}
			for range testkit.Rounds(20, 5) {
				a := get()
				const values = 1000
				all := make([]value, 0, values)
				copies := make([]byte, 0, 2*200*values) // one object, so that the heap places values beside each other
				for range values {
					by, n := names[rnd.IntN(len(names))], 1+rnd.IntN(12)
					if rnd.IntN(8) == 0 {
						n = 1 + rnd.IntN(200)
					}
					got := bytesBy[by](a, texts[rnd.IntN(26)][:n])
					copies = append(copies, got...)
					all = append(all, value{by, got, copies[len(copies)-len(got):]})
				}
				for _, v := range all {
					if !bytes.Equal(v.got, v.first) {
						t.Fatalf("%s: %q has become %q", v.by, v.first, v.got)
					}
				}
			}
		})
	}
}
