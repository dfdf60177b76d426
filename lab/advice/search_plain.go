package advice

import (
	"bytes"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// hits are the places of matches.
type hits struct {
	at    []int
	words int
}

var wanted = [][]byte{[]byte("order"), []byte("price"), []byte("zebra"), []byte("the"), []byte("code")}

func search(text []byte) uint64 {
	h := &hits{at: make([]int, 0, 64)}
	for _, w := range wanted {
		for from := 0; ; {
			i := indexFold(text[from:], w)
			if i < 0 {
				break
			}
			h.at = append(h.at, from+i)
			h.words++
			from += i + len(w)
		}
	}
	return h.sum()
}

func (h *hits) sum() uint64 {
	sum := uint64(h.words)
	for _, at := range h.at {
		sum = sum*31 ^ uint64(at)
	}
	return sum
}

// indexFold returns the index of word in text, ignoring case.
func indexFold(text, word []byte) int {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0] && bytes.EqualFold(text[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

func newSearch() (all [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	return payloads.Pages(5, 40), search, searchIn
}
