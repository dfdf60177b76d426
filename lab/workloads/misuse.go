package workloads

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Misuse is a variant of the use-after-free program: it keeps a reference, ends the cycle, lets the next
// cycle write, and uses the reference.
type Misuse struct {
	Name string
	// Title describes the use.
	Title string
	// Number of objects in a cycle, and the kinds of objects that the variant can use. The first one that the
	// subject supports is used.
	count int
	kinds []kind
	use   func(m Cycle, make maker, n int) Seen
}

// The observed effect of a use after free.
const (
	OwnValue   = "still its own value"
	ReadsZero  = "reads zero"
	ReadsOther = "reads another cycle's value"
	ReadsElse  = "reads neither its own value nor another's"
	WritesOwn  = "changes nobody else's value"
	WritesOver = "changes another cycle's value"
)

// Seen is the outcome of a variant.
type Seen struct{ Outcome, Detail string }

// Misuses returns the variants, in the order of the table.
func Misuses() []Misuse {
	all := []kind{pointers, prices, lists, copies}
	const few, many = 100, 200_000 // many is 12 MB, more than a chunk of any subject
	return []Misuse{
		{"pointer", "a pointer is read", few, []kind{pointers, prices}, read},
		{"pointer-large", "a pointer is read after a cycle of 200,000 objects", many, []kind{pointers, prices}, read},
		{"slice", "a slice is read", few, []kind{lists}, read},
		{"string", "a string is read", few, []kind{copies}, read},
		{"write", "a value is written through it", few, []kind{pointers, prices, lists}, write},
		{"goroutine", "another goroutine reads, without synchronization", few, all, readElsewhere},
	}
}

// FindMisuse returns the variant with the given name.
func FindMisuse(name string) (Misuse, error) {
	all := Misuses()
	if i := slices.IndexFunc(all, func(m Misuse) bool { return m.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Misuse{}, fmt.Errorf("there is no misuse %q", name)
}

// Bind returns the variant for a subject, and false if the subject supports none of its kinds.
func (v Misuse) Bind(subject any) (func() Seen, bool) {
	m, ok := subject.(Cycle)
	if !ok {
		return nil, false
	}
	for _, k := range v.kinds {
		if make := k(subject); make != nil {
			return func() Seen { return v.use(m, make, v.count) }, true
		}
	}
	return nil, false
}

// The values stored by the cycles and by the late writer.
const earlier, mine, theirs, late = 0x1111111111111111, 0x2222222222222222, 0x3333333333333333, 0x4444444444444444

// things are the objects of a cycle.
type things struct {
	read  func(i int) uint64
	write func(i int, v uint64)
}

// maker makes n objects with value v.
type maker func(n int, v uint64) things

// kind returns a subject's maker for a kind of objects, or nil.
type kind func(subject any) maker

func pointers(subject any) maker {
	m, ok := subject.(Objects)
	if !ok {
		return nil
	}
	return func(n int, v uint64) things {
		all := make([]*Flat, n)
		m.Flats(all)
		for _, x := range all {
			x.ID = int64(v)
		}
		return things{func(i int) uint64 { return uint64(all[i].ID) }, func(i int, v uint64) { all[i].ID = int64(v) }}
	}
}

// prices makes objects of subjects that only support Requests.
func prices(subject any) maker {
	m, ok := subject.(Requests)
	if !ok {
		return nil
	}
	return func(n int, v uint64) things {
		all := make([]*Price, n)
		for i := range all {
			all[i] = m.NewPrice()
			all[i].Amount = int64(v)
		}
		return things{func(i int) uint64 { return uint64(all[i].Amount) }, func(i int, v uint64) { all[i].Amount = int64(v) }}
	}
}

func lists(subject any) maker {
	m, ok := subject.(interface{ MakeInts(n, capacity int) []int })
	if !ok {
		return nil
	}
	return func(n int, v uint64) things {
		all := make([][]int, n)
		for i := range all {
			all[i] = m.MakeInts(8, 8)
			all[i][7] = int(v)
		}
		return things{func(i int) uint64 { return uint64(all[i][7]) }, func(i int, v uint64) { all[i][7] = int(v) }}
	}
}

func copies(subject any) maker {
	fill := func([]string, string) {}
	switch m := subject.(type) {
	case Texts:
		fill = m.Texts
	case Requests:
		fill = func(dst []string, src string) {
			for i := range dst {
				dst[i] = m.Text([]byte(src))
			}
		}
	default:
		return nil
	}
	return func(n int, v uint64) things {
		all := make([]string, n)
		fill(all, string(binary.LittleEndian.AppendUint64(nil, v)))
		return things{read: func(i int) (v uint64) {
			for k := range 8 {
				v |= uint64(all[i][k]) << (8 * k)
			}
			return v
		}}
	}
}

// warmed makes the objects to be kept, after some cycles that let the allocator adapt, so that the objects
// are in recycled memory.
func warmed(m Cycle, make maker, n int) things {
	for range 3 {
		make(n, earlier)
		m.End()
	}
	return make(n, mine)
}

func read(m Cycle, make maker, n int) Seen {
	old := warmed(m, make, n)
	m.End()
	next := make(n, theirs)
	seen := look(old, n)
	runtime.KeepAlive(next)
	return seen
}

// grace is long enough for the next cycle to begin and write.
const grace = 30 * time.Millisecond

// readElsewhere makes the reader wait by the clock, because anything else would be the synchronization that
// the program lacks.
func readElsewhere(m Cycle, make maker, n int) Seen {
	old := warmed(m, make, n)
	found := goLook(old, n)
	m.End()
	next := make(n, theirs)
	seen := <-found
	runtime.KeepAlive(next)
	return seen
}

func goLook(old things, n int) chan Seen {
	found := make(chan Seen)
	go func() {
		time.Sleep(grace)
		found <- look(old, n)
	}()
	return found
}

func write(m Cycle, make maker, n int) Seen {
	old := warmed(m, make, n)
	m.End()
	next := make(n, theirs)
	for i := range n {
		old.write(i, late)
	}
	changed := 0
	for i := range n {
		if next.read(i) != theirs {
			changed++
		}
	}
	if changed > 0 {
		return Seen{WritesOver, part(changed, n)}
	}
	return Seen{Outcome: WritesOwn}
}

// look reads all kept objects. The outcome is the worst of them.
func look(old things, n int) Seen {
	counts := map[string]int{}
	for i := range n {
		switch old.read(i) {
		case mine:
			counts[OwnValue]++
		case 0:
			counts[ReadsZero]++
		case theirs:
			counts[ReadsOther]++
		default:
			counts[ReadsElse]++
		}
	}
	for _, worst := range []string{ReadsElse, ReadsOther, ReadsZero} {
		if counts[worst] > 0 {
			return Seen{worst, part(counts[worst], n)}
		}
	}
	return Seen{Outcome: OwnValue}
}

// part returns "k of n", or "" if k is n.
func part(k, n int) string {
	if k == n {
		return ""
	}
	return fmt.Sprintf("%d of %d", k, n)
}
