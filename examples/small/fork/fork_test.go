// Package fork shows arenas that are forked for the goroutines of an errgroup.
package fork

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
	"golang.org/x/sync/errgroup"
)

type reading struct {
	sensor string
	value  float64
}

// parse returns a reading for each line, allocated in a.
func parse(a *arena.Arena, lines string) (readings []*reading, err error) {
	for line := range strings.Lines(lines) {
		sensor, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, errors.New("no number in " + strconv.Quote(line)) // on the heap, because it outlives the arena
		}
		readings = arena.Append(a, readings, arena.NewOf(a, reading{a.AllocString(sensor), v}))
	}
	return readings, nil
}

var pool = arena.NewArenaPool(16<<10, 0)

// sum is a request with a goroutine for each part.
func sum(parts ...string) (total float64, err error) {
	a := pool.Get()
	defer pool.Put(a) // after Wait; it also ends the forks

	var g errgroup.Group
	parsed := arena.MakeSlice[[]*reading](a, len(parts), len(parts))
	for i, part := range parts {
		fork := a.Fork() // called by the goroutine that owns a
		g.Go(func() (err error) {
			parsed[i], err = parse(fork, part)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, err
	}
	for _, readings := range parsed {
		for _, r := range readings {
			total += r.value
		}
	}
	return total, nil
}

func Example() {
	fmt.Println(sum("a 1.5\nb 2\n", "c 3\n", "d 4\ne 5\n"))
	fmt.Println(sum("a 1.5\n", "b two\n"))
	// Output:
	// 15.5 <nil>
	// 0 no number in "b two\n"
}
