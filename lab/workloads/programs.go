package workloads

import "sync"

// Programs runs the four programs of package programs in a subject's memory: on
// the heap as people write Go, in an arena what they are after their conversion.
// Each returns a digest of all that it made.
type Programs interface {
	Life
	Query(text string) uint64
	Markdown(text string) uint64
	Metrics(scrape []byte) uint64
	Order(body []byte) uint64
}

// ColdPrograms is a Programs whose memory is made for one life.
type ColdPrograms interface {
	Programs
	Begin()
	Drop()
}

// Inputs are what the programs read: documents of a seed, the same on every
// machine.
type Inputs struct {
	Queries, Markdown []string
	Scrapes, Orders   [][]byte
}

// inputs are those of the matrix, made before the clock starts: its warm-up asks
// for them first.
var inputs = sync.OnceValue(func() *Inputs { return NewInputs(12, 64) })

func queries(m Programs, n int, _ *Watch) (sum uint64) {
	in := inputs().Queries
	for i := range n {
		sum += m.Query(in[i%len(in)])
		m.End()
	}
	return sum
}

func markdowns(m Programs, n int, _ *Watch) (sum uint64) {
	in := inputs().Markdown
	for i := range n {
		sum += m.Markdown(in[i%len(in)])
		m.End()
	}
	return sum
}

func scrapes(m Programs, n int, _ *Watch) (sum uint64) {
	in := inputs().Scrapes
	for i := range n {
		sum += m.Metrics(in[i%len(in)])
		m.End()
	}
	return sum
}

func orders(m Programs, n int, _ *Watch) (sum uint64) {
	in := inputs().Orders
	for i := range n {
		sum += m.Order(in[i%len(in)])
		m.End()
	}
	return sum
}

// coldPrograms has each program read n documents, each in memory made for it.
func coldPrograms(m ColdPrograms, n int, _ *Watch) (sum uint64) {
	in := inputs()
	for i := range n {
		k := i % len(in.Queries)
		for _, program := range []func() uint64{
			func() uint64 { return m.Query(in.Queries[k]) }, func() uint64 { return m.Markdown(in.Markdown[k]) },
			func() uint64 { return m.Metrics(in.Scrapes[k]) }, func() uint64 { return m.Order(in.Orders[k]) },
		} {
			m.Begin()
			sum += program()
			m.Drop()
		}
	}
	return sum
}
