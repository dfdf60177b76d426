package advice

import (
	"bytes"
	"math/rand/v2"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/load/payloads"
)

// edit is a line that is kept (' '), deleted ('-') or inserted ('+').
type edit struct {
	op   byte
	line string
}

// diffTexts returns the edits from x to y, by Myers' greedy algorithm.
func diffTexts(x, y string) string {
	old, new := strings.Split(x, "\n"), strings.Split(y, "\n")
	edits := editsOf(old, new, waysOf(old, new))
	var out strings.Builder
	for _, e := range edits {
		out.WriteByte(e.op)
		out.WriteString(e.line)
		out.WriteByte('\n')
	}
	return out.String()
}

// waysOf returns how far each number of edits reaches, on each diagonal.
func waysOf(old, new []string) (ways [][]int) {
	n, m := len(old), len(new)
	last := make([]int, 2*(n+m)+1)
	for d := 0; ; d++ {
		ways = append(ways, append([]int(nil), last[n+m-d:n+m+d+1]...))
		for k := -d; k <= d; k += 2 {
			at := n + m + k
			var i int
			if k == -d || k != d && last[at-1] < last[at+1] {
				i = last[at+1]
			} else {
				i = last[at-1] + 1
			}
			j := i - k
			for i < n && j < m && old[i] == new[j] {
				i++
				j++
			}
			last[at] = i
			if i >= n && j >= m {
				return ways
			}
		}
	}
}

// editsOf follows the ways back from the end to the start.
func editsOf(old, new []string, ways [][]int) []*edit {
	var edits []*edit
	i, j := len(old), len(new)
	for d := len(ways) - 1; d > 0; d-- {
		last, k := ways[d], i-j
		from := k - 1
		if k == -d || k != d && last[d+k-1] < last[d+k+1] {
			from = k + 1
		}
		x := last[d+from]
		y := x - from
		for i > x && j > y && i > 0 && j > 0 && old[i-1] == new[j-1] {
			i--
			j--
			edits = append(edits, &edit{' ', old[i]})
		}
		if from < k {
			i--
			edits = append(edits, &edit{'-', old[i]})
		} else {
			j--
			edits = append(edits, &edit{'+', new[j]})
		}
	}
	for ; i > 0; i-- {
		edits = append(edits, &edit{' ', old[i-1]})
	}
	for l, r := 0, len(edits)-1; l < r; l, r = l+1, r-1 {
		edits[l], edits[r] = edits[r], edits[l]
	}
	return edits
}

func newDiff() (all [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, page := range payloads.Pages(5, 40) {
		text := string(page)
		lines := strings.Split(text, "\n")
		for range 4 {
			at := rng.IntN(len(lines))
			if rng.IntN(2) == 0 {
				lines[at] += "!"
			} else {
				lines = append(lines[:at], lines[at+1:]...)
			}
		}
		all = append(all, []byte(text+"\x00"+strings.Join(lines, "\n")))
	}
	return all, func(b []byte) uint64 {
		x, y, _ := bytes.Cut(b, []byte{0})
		return sumOf(diffTexts(string(x), string(y)))
	}, diffIn
}
