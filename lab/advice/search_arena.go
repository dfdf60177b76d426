package advice

import "github.com/ebbpool/arena"

func searchIn(a *arena.Arena, text []byte) uint64 {
	h := arena.NewOf(a, hits{at: arena.MakeSlice[int](a, 0, 64)})
	for _, w := range wanted {
		for from := 0; ; {
			i := indexFold(text[from:], w)
			if i < 0 {
				break
			}
			h.at = arena.Append(a, h.at, from+i)
			h.words++
			from += i + len(w)
		}
	}
	return h.sum()
}
