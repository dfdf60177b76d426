package report

import "github.com/ebbpool/arena/lab/matrix"

// cppBase is what the C++ subjects are compared with.
const cppBase = "glibc malloc"

// CppKey is one kind of work of the C++ benchmark.
type CppKey struct {
	Workload, Touched string
	Size, Count       int
}

// CppLine is what all rounds say of one C++ subject at one kind of work.
type CppLine struct {
	CppKey
	Subject string
	Rounds  int
	Ns      float64 // of one call
	Spread  float64
	Faster  Interval // how many times as fast as glibc's malloc
	Beside  bool     // Faster is there

	byRound map[int]float64
}

// Noisy says that the spread is large enough to doubt the row.
func (l CppLine) Noisy() bool { return l.Spread > noisy }

// Ours says whether the subject is Ebbpool's.
func (l CppLine) Ours() bool { return len(l.Subject) > 4 && l.Subject[:4] == "ebb " }

// cppLines gathers the rows, in the order of the file.
func cppLines(rows []matrix.CppRow) []CppLine {
	type id struct {
		CppKey
		subject string
	}
	var order []id
	byID := map[id]map[int]float64{}
	for _, r := range rows {
		k := id{CppKey{r.Workload, r.Touched, r.Size, r.Count}, r.Subject}
		if byID[k] == nil {
			byID[k] = map[int]float64{}
			order = append(order, k)
		}
		byID[k][r.Round] = r.NsPerCall
	}
	var all []CppLine
	for _, k := range order {
		l := CppLine{CppKey: k.CppKey, Subject: k.subject, Rounds: len(byID[k]), byRound: byID[k]}
		var ns []float64
		for _, v := range l.byRound {
			ns = append(ns, v)
		}
		l.Ns, l.Spread = median(ns), spread(ns)
		if ratios := paired(byID[id{k.CppKey, cppBase}], l.byRound); len(ratios) > 0 {
			l.Faster, l.Beside = bootstrap(ratios), true
		}
		all = append(all, l)
	}
	return all
}

// fastestOther returns the subject that is not ours with the least time at the
// same work.
func fastestOther(all []CppLine, key CppKey) (best CppLine, ok bool) {
	for _, l := range all {
		if l.CppKey == key && !l.Ours() && (!ok || l.Ns < best.Ns) {
			best, ok = l, true
		}
	}
	return best, ok
}
