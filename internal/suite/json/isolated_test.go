package json

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// keeper keeps its arguments too long.
type keeper struct{ texts [][]byte }

func (k *keeper) Write(b []byte) (int, error) {
	k.texts = append(k.texts, b)
	return len(b), nil
}

// Memory that Marshal gives back is zero when the next request gets it. If a writer keeps the text of
// MarshalWrite, the text is not reused, although it was given back.
func TestMarshalIsolated(t *testing.T) {
	if check.On {
		t.Skip("nothing is used again")
	}
	p := arena.NewArenaPool(16<<10, 1<<20)
	p.SetIsolation(true)
	var docs []string
	var kept [][]byte
	var k keeper
	near, end := 0, uintptr(0)
	for n := range 500 {
		a := p.Get()
		s := arena.MakeSlice[byte](a, 700, 700)
		for i, b := range s {
			if b != 0 {
				t.Fatalf("request %d: byte %d of new memory is %q", n, i, b)
			}
			s[i] = '~'
		}
		if end != 0 && xunsafe.Number(xunsafe.DataOf(s)) == end {
			near++
		}
		text := strings.Repeat(string(rune('a'+n%26)), n*379%1000)
		doc, err := arenajson.Marshal(a, text)
		if err != nil {
			t.Fatal(err)
		}
		kept, docs = append(kept, doc), append(docs, `"`+text+`"`)
		end = (xunsafe.Number(xunsafe.DataOf(doc)) + uintptr(len(doc)) + 7) &^ 7
		if n%2 == 0 {
			if err := arenajson.MarshalWrite(a, &k, text); err != nil {
				t.Fatal(err)
			}
			end = 0
		}
		p.Put(a)
	}
	if near < 200 {
		t.Errorf("of 250 requests %d began right behind the answer of the one before", near)
	}
	for n, doc := range kept {
		//arenavet:ignore an isolated pool hands it to nobody else
		if string(doc) != docs[n] {
			t.Errorf("the answer of request %d, %.20q, is %.20q", n, docs[n], doc)
		}
	}
	for n, text := range k.texts {
		if s := string(text); s != docs[2*n] {
			t.Errorf("what request %d wrote, %.20q, is %.20q", 2*n, docs[2*n], s)
		}
	}
}
