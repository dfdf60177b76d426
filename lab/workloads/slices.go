package workloads

// ends sums a few elements of a slice without touching all of it.
func ends(s []int) uint64 {
	s[len(s)/2] = 7
	return uint64(len(s)) + uint64(s[len(s)/2])
}

func total(s []int) (sum uint64) {
	for _, v := range s {
		sum += uint64(v)
	}
	return sum
}

func reserved(m Ints, n int, _ *Watch) uint64 {
	sum := ends(m.ReserveInts(n))
	m.End()
	return sum
}

// zeroed checks only a few elements. The tests of this package check that subjects zero all of them.
func zeroed(m Ints, n int, _ *Watch) uint64 {
	s := m.MakeInts(n, n)
	sum := uint64(s[0]) + uint64(s[n/3]) + uint64(s[n-1]) + ends(s)
	m.End()
	return sum
}

func filled(m Ints, n int, _ *Watch) uint64 {
	s := m.MakeInts(n, n)
	for i := range s {
		s[i] += i
	}
	sum := total(s)
	m.End()
	return sum
}

func matrixSlice(m Ints, n int, _ *Watch) uint64 {
	sum := total(m.AppendInts(m.MakeInts(0, n), 0, n))
	m.End()
	return sum
}

func matrixSimple(m Simples, n int, _ *Watch) (sum uint64) {
	all := simpleTable.of(n)
	m.Simples(all)
	for i, x := range all {
		x.Length = i
	}
	for _, x := range all {
		sum += uint64(x.Length) + uint64(len(x.Items))
	}
	m.End()
	clear(all)
	return sum
}

// simplesAndInts allocates structs and, in the same memory, slices for them.
type simplesAndInts interface {
	Simples
	Ints
}

func complexStruct(m simplesAndInts, n int) uint64 {
	one := simpleTable.of(1) // a variable would escape: an allocation of the harness
	m.Simples(one)
	x := one[0]
	one[0] = nil
	x.Items = m.AppendInts(m.MakeInts(0, n), 0, n)
	x.Length = len(x.Items)
	return total(x.Items) + uint64(x.Length)
}

func matrixComplex(m simplesAndInts, n int, _ *Watch) uint64 {
	sum := complexStruct(m, n)
	m.End()
	return sum
}

// iterations is the number of structs that ComplexStructIter makes in a cycle.
const iterations = 1000

func matrixIter(m simplesAndInts, n int, _ *Watch) (sum uint64) {
	for range iterations {
		sum += complexStruct(m, n)
	}
	m.End()
	return sum
}

func growOne(m Ints, n int, _ *Watch) uint64 {
	sum := total(m.AppendInts(nil, 0, n))
	m.End()
	return sum
}

func growTurns(m Ints, n int, _ *Watch) (sum uint64) {
	var s [4][]int
	for i := range n {
		for k := range s {
			s[k] = m.AppendInts(s[k], i+k, 1)
		}
	}
	for k := range s {
		sum = sum*31 + total(s[k])
	}
	m.End()
	return sum
}

// collectedInts is the number of ints appended in a call for the collector's table.
const collectedInts = 100_000

func collector(m Ints, n int, _ *Watch) (sum uint64) {
	for call := range n {
		sum += total(m.AppendInts(nil, call, collectedInts))
		m.End()
	}
	return sum
}

// keptClone holds the latest clone, so that the compiler does not remove it.
var keptClone []int

func collectorClone(m Ints, n int, _ *Watch) (sum uint64) {
	for call := range n {
		s := m.AppendInts(nil, call, collectedInts)
		keptClone = append([]int(nil), s...)
		m.End()
		sum += total(keptClone)
	}
	return sum
}
