package advise

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/heap"
	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// Finding is a finding of arenavet -heap.
type Finding struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// Item is a line of a program that still allocates on the heap, with its costs.
type Item struct {
	Finding
	Part    float64 `json:"part"` // of all that is allocated, by what its allocations take
	Objects float64 `json:"objects"`
	Bytes   float64 `json:"bytes"`
}

type lineKey struct {
	file string
	line int
}

type callKey struct {
	lineKey
	called string
}

const arenaModule = "github.com/ebbpool/arena"

// leastPart is the part of all allocations from which a line without a finding is reported.
const leastPart = 0.01

// Report orders findings by the costs of their lines in an allocation profile. It adds calls of the standard library
// that have no counterpart in package arena, and other lines with at least leastPart of the costs. Allocations of other
// functions of the standard library, such as http.Header.Get and testing.T.Run, are not listed, because an arena would
// not change them. Lines that are not in the profile come last.
func Report(dir, allocs string, patterns []string, findings []Finding) ([]Item, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	a, err := profile.ReadAllocs(allocs)
	if err != nil {
		return nil, err
	}
	own, err := LoadOwn(dir, patterns)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(a.Stacks, func(x profile.Allocation) bool { return own.first(x.Frames) >= 0 }) {
		return nil, own.another(allocs)
	}
	cost := map[lineKey]*Item{}    // of a line as a whole
	library := map[callKey]*Item{} // of a call without a counterpart
	total := 0.0
	add := func(i *Item, x profile.Allocation) {
		i.Objects += x.Objects
		i.Bytes += x.Bytes
	}
	for _, x := range a.Stacks {
		total += costOf(x.Objects, x.Bytes)
		at := own.first(x.Frames)
		if at < 0 {
			continue
		}
		f := x.Frames[at]
		p, _ := own.Of(f)
		file := pathOf(p, f)
		if at > 0 {
			switch called := x.Frames[at-1].Function; {
			case strings.HasPrefix(called, arenaModule):
				continue // an arena's own chunks
			case !catalog.IsStandard(profile.PackageOf(called)):
			case heap.HasNoCounterpart(plain(called)):
				key := callKey{lineKey{file, f.Line}, called}
				if library[key] == nil {
					library[key] = &Item{Finding: Finding{file, f.Line, called + " on the heap: it has no counterpart in package arena; write into an arena.Buffer, or call it less"}}
				}
				add(library[key], x)
				continue
			case !heap.HasCounterpart(plain(called)):
				continue // the call would allocate the same with an arena
			}
		}
		key := lineKey{file, f.Line}
		if cost[key] == nil {
			cost[key] = &Item{}
		}
		add(cost[key], x)
	}
	var items []Item
	found := map[lineKey]bool{}
	for _, f := range findings {
		i := Item{Finding: f}
		found[lineKey{f.File, f.Line}] = true
		if key, c := calledAt(library, f); c != nil {
			i.Objects, i.Bytes = c.Objects, c.Bytes
			delete(library, key)
		} else if c := cost[lineKey{f.File, f.Line}]; c != nil {
			i.Objects, i.Bytes = c.Objects, c.Bytes
		}
		items = append(items, i)
	}
	for _, i := range library {
		items = append(items, *i)
	}
	for key, c := range cost {
		if !found[key] && costOf(c.Objects, c.Bytes) >= leastPart*total {
			c.Finding = Finding{key.file, key.line, "on the heap: no arena in scope, or the value may outlive it"}
			items = append(items, *c)
		}
	}
	for i := range items {
		items[i].Part = costOf(items[i].Objects, items[i].Bytes) / total
	}
	slices.SortFunc(items, func(x, y Item) int {
		return cmp.Or(cmp.Compare(y.Part, x.Part), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Message, y.Message))
	})
	return items, nil
}

// calledAt returns the call of a finding, if it has no counterpart.
func calledAt(library map[callKey]*Item, f Finding) (callKey, *Item) {
	for key, i := range library {
		if i.File == f.File && i.Line == f.Line && strings.HasPrefix(f.Message, short(key.called)+" ") {
			return key, i
		}
	}
	return callKey{}, nil
}

// PrintReport writes a report as text, files named from dir.
func PrintReport(w io.Writer, dir string, items []Item) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, i := range items {
		name := i.File
		if rel, err := filepath.Rel(dir, name); err == nil {
			name = rel
		}
		part := "      -"
		if i.Objects > 0 {
			part = fmt.Sprintf("%5.1f %%", 100*i.Part)
		}
		if _, err := fmt.Fprintf(w, "%s  %s:%d: %s\n", part, name, i.Line, i.Message); err != nil {
			return err
		}
	}
	return nil
}
