package recipes

import (
	"bufio"
	"io"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// Quantities adds up the items in r, which has an order in JSON on each line.
func Quantities(r io.Reader) (map[string]int64, error) {
	a := arena.NewArena(64<<10, 1<<20) // one goroutine needs no pool
	total := map[string]int64{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		o := arena.New[Order](a)
		if err := arenajson.Unmarshal(a, lines.Bytes(), o); err != nil {
			return nil, err
		}
		for _, item := range o.Items {
			total[strings.Clone(item.SKU)] += item.Quantity // the map outlives the line
		}
		a.Reset()
	}
	return total, lines.Err()
}
