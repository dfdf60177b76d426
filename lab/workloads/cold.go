package workloads

// Cold is memory that is allocated for one cycle and then dropped, as in tests, tools and first requests.
type Cold interface {
	Simples
	Ints
	Requests
	// GrowItems appends the n values 0, 1 and so on to the slice in x, one at a time.
	GrowItems(x *Simple, n int)
	// Begin allocates new memory.
	Begin()
	// Drop ends the cycle and drops the memory. Begin must follow.
	Drop()
}

// coldCycles is the number of cycles in an operation: the smallest cycle takes little more time than reading
// the clock.
const coldCycles = 10

func perColdCycle(int) float64 { return coldCycles }

func coldSlice(m Cold, n int, _ *Watch) (sum uint64) {
	for range coldCycles {
		m.Begin()
		sum += total(m.AppendInts(nil, 0, n))
		m.Drop()
	}
	return sum
}

func coldStruct(m Cold, n int, _ *Watch) (sum uint64) {
	one := simpleTable.of(1)
	for range coldCycles {
		m.Begin()
		m.Simples(one)
		x := one[0]
		one[0] = nil
		m.GrowItems(x, n)
		sum += total(x.Items)
		m.Drop()
	}
	return sum
}

func coldIter(m Cold, n int, _ *Watch) (sum uint64) {
	m.Begin()
	for range iterations {
		sum += complexStruct(m, n)
	}
	m.Drop()
	return sum
}

// requestObjects is the number of objects in a request.
const requestObjects = 20

// coldRequest builds requests with n objects in total, in one cycle.
func coldRequest(m Cold, n int, _ *Watch) (sum uint64) {
	for range coldCycles {
		m.Begin()
		for i := range n / requestObjects {
			sum += request(m, i)
		}
		m.Drop()
	}
	return sum
}
