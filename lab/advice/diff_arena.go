package advice

import (
	"bytes"
	"strings"

	"github.com/ebbpool/arena"
)

func diffIn(a *arena.Arena, b []byte) uint64 {
	x, y, _ := bytes.Cut(b, []byte{0})
	return sumOf(diffTextsIn(a, a.AllocBytesToString(x), a.AllocBytesToString(y)))
}

func linesIn(a *arena.Arena, text string) (lines []string) {
	for line := range strings.SplitSeq(text, "\n") {
		lines = arena.Append(a, lines, line)
	}
	return lines
}

func diffTextsIn(a *arena.Arena, x, y string) string {
	old, new := linesIn(a, x), linesIn(a, y)
	edits := editsOfIn(a, old, new, waysOfIn(a, old, new))
	out := arena.NewBuffer(a, 0)
	for _, e := range edits {
		out.WriteByte(e.op)
		out.WriteString(e.line)
		out.WriteByte('\n')
	}
	return out.String()
}

func waysOfIn(a *arena.Arena, old, new []string) (ways [][]int) {
	n, m := len(old), len(new)
	last := arena.MakeSlice[int](a, 2*(n+m)+1, 2*(n+m)+1)
	for d := 0; ; d++ {
		ways = arena.Append(a, ways, arena.CloneSlice(a, last[n+m-d:n+m+d+1]))
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

func editsOfIn(a *arena.Arena, old, new []string, ways [][]int) []*edit {
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
			edits = arena.Append(a, edits, arena.NewOf(a, edit{' ', old[i]}))
		}
		if from < k {
			i--
			edits = arena.Append(a, edits, arena.NewOf(a, edit{'-', old[i]}))
		} else {
			j--
			edits = arena.Append(a, edits, arena.NewOf(a, edit{'+', new[j]}))
		}
	}
	for ; i > 0; i-- {
		edits = arena.Append(a, edits, arena.NewOf(a, edit{' ', old[i-1]}))
	}
	for l, r := 0, len(edits)-1; l < r; l, r = l+1, r-1 {
		edits[l], edits[r] = edits[r], edits[l]
	}
	return edits
}
