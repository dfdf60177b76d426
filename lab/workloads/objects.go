package workloads

import (
	"fmt"
	"runtime"
)

// table holds the pointers of one operation. It is allocated once by the harness and cleared so that objects
// on the heap become garbage after their cycle.
type table[T any] struct{ all []T }

func (t *table[T]) of(n int) []T {
	if cap(t.all) < n {
		t.all = make([]T, n)
	}
	return t.all[:n]
}

var (
	flatTable   table[*Flat]
	linkTable   table[*Link]
	simpleTable table[*Simple]
	textTable   table[string]
)

func flats(m Objects, n int, _ *Watch) uint64 {
	sum := fillFlats(m, n)
	m.End()
	clear(flatTable.of(n))
	return sum
}

// fillFlats allocates n objects and uses each of them.
func fillFlats(m Objects, n int) (sum uint64) {
	all := flatTable.of(n)
	m.Flats(all)
	for i, x := range all {
		x.ID, x.Price = int64(i), int64(3*i)
	}
	for _, x := range all {
		sum += uint64(x.ID) ^ uint64(x.Price)
	}
	return sum
}

func links(m Objects, n int, _ *Watch) uint64 {
	sum := fillLinks(m, n)
	m.End()
	clear(linkTable.of(n))
	return sum
}

// fillLinks allocates n objects, links each to the previous one and follows the links. The strings are
// constants, so no subject has to keep them alive.
func fillLinks(m Objects, n int) (sum uint64) {
	all := linkTable.of(n)
	m.Links(all)
	var last *Link
	for i, x := range all {
		x.ID, x.Name, x.Next = int64(i), "name of a link", last
		last = x
	}
	for x := last; x != nil; x = x.Next {
		sum = sum*31 + uint64(x.ID) + uint64(len(x.Name))
	}
	return sum
}

// sample is the string that is copied: 32 bytes.
const sample = "0123456789abcdef0123456789ABCDEF"

func texts(m Texts, n int, _ *Watch) (sum uint64) {
	all := textTable.of(n)
	m.Texts(all, sample)
	for i, s := range all {
		sum += uint64(len(s)) + uint64(s[i%len(s)])
	}
	m.End()
	clear(all)
	return sum
}

func resetFlat(m Ends, n int, w *Watch) uint64 {
	w.Pause()
	sum := fillFlats(m, n)
	w.Resume()
	m.End()
	return sum
}

func resetLink(m Ends, n int, w *Watch) uint64 {
	w.Pause()
	sum := fillLinks(m, n)
	w.Resume()
	m.End()
	return sum
}

// collections is the number of collections for the corruption table.
const collections = 5

// corruption returns how many of n objects read back wrong after collections, between which the heap is
// filled with strings of the same sizes. Only the object refers to its string, so a collector that does not
// see the object frees the string.
func corruption(m Objects, n int, _ *Watch) (wrong uint64) {
	all := make([]*Link, n)
	m.Links(all)
	for i, x := range all {
		x.ID, x.Name, x.Text, x.Next = int64(i), kept(i), "", nil
	}
	for range collections {
		churn(n)
	}
	for i, x := range all {
		if x.Name != kept(i) {
			wrong++
		}
	}
	m.End()
	return wrong
}

// kept returns the string of object i, newly allocated on the heap.
func kept(i int) string { return fmt.Sprintf("the string of object %06d", i) }

// churned holds the latest strings of churn.
var churned []string

// churn runs the collector and reuses the memory that it freed.
func churn(n int) {
	runtime.GC()
	churned = make([]string, 0, 2*n)
	for i := range 2 * n {
		churned = append(churned, fmt.Sprintf("other text, as long: %06d", i))
	}
}
