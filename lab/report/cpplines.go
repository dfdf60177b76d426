package report

import (
	"slices"

	"github.com/ebbpool/arena/lab/matrix"
)

// cppBase is what the C++ subjects are compared with.
const cppBase = "glibc malloc"

// CppKey is one kind of work of the C++ benchmark.
type CppKey struct {
	Workload, Touched string
	Size, Count       int
}

// keyOf is the work of a row.
func keyOf(c matrix.CppCell) CppKey { return CppKey{c.Workload, c.Touched, c.Size, c.Count} }

// Work is the pattern, with what the program does to an object.
func (k CppKey) Work() string {
	if k.Touched == "" {
		return k.Workload
	}
	return k.Workload + " (" + k.Touched + ")"
}

// Capacity is the pool's, "-" where it is not what is measured.
func (k CppKey) Capacity() string {
	if k.Count == 0 {
		return "-"
	}
	return thousands(k.Count)
}

// CppLine is what all rounds say of one C++ subject at one kind of work, built
// by one compiler.
type CppLine struct {
	CppKey
	Compiler, Subject string
	Rounds            int
	Ns                float64 // of one call
	Spread            float64
	Faster            Interval // how many times as fast as glibc's malloc
	Beside            bool     // Faster is there

	byRound map[int]float64
}

// Noisy says that the spread is large enough to doubt the row.
func (l CppLine) Noisy() bool { return l.Spread > noisy }

// Ours reports whether the subject is Ebbpool's.
func (l CppLine) Ours() bool { return len(l.Subject) > 4 && l.Subject[:4] == "ebb " }

// cppLines gathers the rows, in the order of the file.
func cppLines(rows []matrix.CppRow) []CppLine {
	var order []matrix.CppCell
	byCell := map[matrix.CppCell]map[int]float64{}
	for _, r := range rows {
		if byCell[r.CppCell] == nil {
			byCell[r.CppCell] = map[int]float64{}
			order = append(order, r.CppCell)
		}
		byCell[r.CppCell][r.Round] = r.NsPerCall
	}
	var all []CppLine
	for _, c := range order {
		l := CppLine{CppKey: keyOf(c), Compiler: c.Compiler, Subject: c.Subject, Rounds: len(byCell[c]), byRound: byCell[c]}
		var ns []float64
		for _, v := range l.byRound {
			ns = append(ns, v)
		}
		l.Ns, l.Spread = median(ns), spread(ns)
		base := c
		base.Subject = cppBase
		if ratios := paired(byCell[base], l.byRound); len(ratios) > 0 {
			l.Faster, l.Beside = bootstrap(ratios), true
		}
		all = append(all, l)
	}
	return all
}

// fastestOther returns the subject that is not ours with the least time at the
// same work, built by the same compiler.
func fastestOther(all []CppLine, than CppLine) (best CppLine, ok bool) {
	for _, l := range all {
		if l.CppKey == than.CppKey && l.Compiler == than.Compiler && !l.Ours() && (!ok || l.Ns < best.Ns) {
			best, ok = l, true
		}
	}
	return best, ok
}

// compilers of the lines, in the order of the files.
func compilers(all []CppLine) (names []string) {
	for _, l := range all {
		if !slices.Contains(names, l.Compiler) {
			names = append(names, l.Compiler)
		}
	}
	return names
}

// builtBy are the lines of one compiler.
func builtBy(all []CppLine, compiler string) (some []CppLine) {
	for _, l := range all {
		if l.Compiler == compiler {
			some = append(some, l)
		}
	}
	return some
}
