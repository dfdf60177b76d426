// Command logreport summarizes a log: the requested paths, their times, and their failures. It uses two
// arenas: one that is reset after each line, and one for the report.
package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// line is one request of the log, in the line's arena.
type line struct {
	method, path string
	status       int
	millis       int
	labels       *arena.Map[string, string]
}

// total is the line of the report for one path.
type total struct {
	path           string
	count, errors  int
	slowest, spent int
	regions        *arena.Map[string, int]
}

// parse parses "GET /orders/17 200 35ms region=eu client=web". Numbers in paths become :id, so that all
// orders are one path.
func parse(a *arena.Arena, text []byte) (*line, error) {
	words := arena.Collect(a, strings.FieldsSeq(a.AllocBytesToString(text)))
	if len(words) < 4 {
		return nil, fmt.Errorf("%q: want four words", text)
	}
	l := arena.NewOf(a, line{method: words[0], labels: arena.NewMap[string, string](a, 4)})
	var err, slow error
	l.status, err = strconv.Atoi(words[2])
	l.millis, slow = strconv.Atoi(strings.TrimSuffix(words[3], "ms"))
	if err = cmp.Or(err, slow); err != nil {
		return nil, fmt.Errorf("%q: %v", text, err)
	}
	parts := arena.Collect(a, strings.SplitSeq(words[1], "/"))
	for i, part := range parts {
		if _, err := strconv.Atoi(part); err == nil {
			parts[i] = ":id"
		}
	}
	l.path = a.Join(parts, "/")
	for _, label := range words[4:] {
		if name, value, ok := strings.Cut(label, "="); ok {
			l.labels.Set(name, value)
		}
	}
	return l, nil
}

// report reads the log and writes the summary.
func report(w io.Writer, log io.Reader) {
	lines, kept := arena.NewArena(4<<10, 0), arena.NewArena(16<<10, 0)
	paths := arena.NewMap[string, *total](kept, 64)
	broken := 0
	for in := bufio.NewScanner(log); in.Scan(); lines.Reset() {
		l, err := parse(lines, in.Bytes())
		if err != nil {
			fmt.Fprintln(w, "skipped", err)
			broken++
			continue
		}
		key := lines.Concat(l.method, " ", l.path)
		t, known := paths.Get(key)
		if !known {
			key = kept.AllocString(key) // must not be in the line's arena
			t = arena.NewOf(kept, total{path: key, regions: arena.NewMap[string, int](kept, 4)})
			paths.Set(key, t)
		}
		t.count++
		t.spent += l.millis
		t.slowest = max(t.slowest, l.millis)
		if l.status >= 500 {
			t.errors++
		}
		if region, ok := l.labels.Get("region"); ok {
			if n := t.regions.Ptr(region); n != nil {
				*n++
			} else {
				t.regions.Set(kept.AllocString(region), 1)
			}
		}
	}

	totals := arena.Collect(kept, paths.Values())
	slices.SortFunc(totals, func(x, y *total) int {
		return cmp.Or(cmp.Compare(y.spent, x.spent), cmp.Compare(x.path, y.path))
	})
	for _, t := range totals {
		fmt.Fprintf(w, "%-20s %3d requests, %3d ms each, %3d at most, %d failed;", t.path, t.count, t.spent/t.count, t.slowest, t.errors)
		regions := arena.Collect(kept, t.regions.Keys())
		slices.Sort(regions)
		for _, region := range regions {
			n, _ := t.regions.Get(region)
			fmt.Fprintf(w, " %s %d", region, n)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d lines skipped\n", broken)
}

// sample returns a log of n lines, some of them malformed.
func sample(n int) io.Reader {
	var b strings.Builder
	for i := range n {
		switch region := []string{"eu", "us", "asia"}[i%3]; {
		case i%50 == 49:
			fmt.Fprintf(&b, "GET /orders/%d 2x0 %dms\n", i, i)
		case i%4 == 0:
			fmt.Fprintf(&b, "POST /orders %d %dms region=%s client=web\n", 201+i/40%2*299, 20+i%7, region)
		case i%4 == 1:
			fmt.Fprintf(&b, "GET /orders/%d/receipt 200 %dms region=%s\n", i, 5+i%11, region)
		default:
			fmt.Fprintf(&b, "GET /orders/%d 200 %dms region=%s\n", i, 1+i%5, region)
		}
	}
	b.WriteString("too short\n")
	return strings.NewReader(b.String())
}

func main() {
	report(os.Stdout, sample(200))
}
