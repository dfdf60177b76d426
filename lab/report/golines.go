// Package report draws the page from a results folder, and from nothing else:
// what is not in its files is not on the page.
package report

import (
	"fmt"
	"slices"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// Line is what all rounds say of one cell.
type Line struct {
	matrix.Cell
	Work   workloads.Workload
	Status string // matrix.OK, or why there is no time
	Detail string
	Rounds int

	// Medians of all rounds, by metric, as measured: for one operation.
	Medians map[string]float64

	Ns     float64  // of one unit of the workload
	Spread float64  // of the time, as a part of it
	Faster Interval // how many times as fast as the heap
	Beside bool     // Faster is there: both were measured in the same rounds

	byRound map[int]float64 // ns/op
}

// Ours reports whether the subject is Ebbpool's.
func Ours(subject string) bool {
	return slices.Contains([]string{subjects.Region, subjects.Slab, subjects.Pool, subjects.FixedPool}, subject)
}

// Noisy says that the spread is large enough to doubt the row.
func (l Line) Noisy() bool { return l.Spread > noisy }

// Title says what was done, with its size.
func (l Line) Title() string {
	return fmt.Sprintf("%s: %s %s", l.Work.Title, thousands(l.N), l.Work.Unit)
}

// lines gathers a build's judged rows by cell, in the order of the catalogue
// and of the subjects.
func lines(rows []matrix.Row, build string) ([]Line, error) {
	byCell := map[matrix.Cell][]matrix.Row{}
	for _, r := range matrix.Judge(rows) {
		if r.Build != build {
			continue
		}
		if _, err := workloads.Find(r.Workload); err != nil {
			return nil, err
		}
		if _, err := subjects.FindAllocator(r.Subject); err != nil {
			return nil, err
		}
		byCell[r.Cell] = append(byCell[r.Cell], r)
	}
	var all []Line
	for _, w := range workloads.Catalog() {
		for _, n := range append(slices.Clone(w.Sizes), w.Full...) {
			var group []Line
			for _, a := range subjects.Allocators() {
				c := matrix.Cell{Workload: w.Name, N: n, Subject: a.Name, Build: build}
				if rows := byCell[c]; len(rows) > 0 {
					group = append(group, line(w, c, rows))
					delete(byCell, c)
				}
			}
			beside(group)
			all = append(all, group...)
		}
	}
	for c := range byCell {
		return nil, fmt.Errorf("the catalogue has no size %d of %s", c.N, c.Workload)
	}
	return all, nil
}

func line(w workloads.Workload, c matrix.Cell, rows []matrix.Row) Line {
	l := Line{Cell: c, Work: w, Status: matrix.OK, Medians: map[string]float64{}, byRound: map[int]float64{}}
	values := map[string][]float64{}
	rounds := map[int]bool{}
	for _, r := range rows {
		rounds[r.Round] = true
		if r.Status != matrix.OK {
			l.Status, l.Detail = r.Status, r.Detail
		}
		if r.Metric != "" {
			values[r.Metric] = append(values[r.Metric], r.Value.Value)
		}
		if r.Metric == matrix.NsPerOp {
			l.byRound[r.Round] = r.Value.Value
		}
	}
	l.Rounds = len(rounds)
	for metric, v := range values {
		if l.Status != matrix.OK && metric != matrix.WrongReads {
			continue // one bad round makes the others doubtful, too
		}
		l.Medians[metric] = median(v)
	}
	if l.Status != matrix.OK {
		l.byRound = nil
		return l
	}
	if ns := values[matrix.NsPerOp]; len(ns) > 0 {
		l.Ns = median(ns) / w.Per(c.N)
		l.Spread = spread(ns)
	}
	return l
}

// beside compares the lines of one workload and size with the heap's. Each
// round gives one ratio, of measurements that were made close together.
func beside(group []Line) {
	i := slices.IndexFunc(group, func(l Line) bool { return l.Subject == subjects.Heap })
	if i < 0 {
		return
	}
	heap := group[i].byRound
	for k := range group {
		if ratios := paired(heap, group[k].byRound); len(ratios) > 0 {
			group[k].Faster, group[k].Beside = interval(ratios), true
		}
	}
}

// paired are the ratios a / b of the rounds that both have.
func paired(a, b map[int]float64) (ratios []float64) {
	for round, x := range a {
		if y, ok := b[round]; ok && y > 0 && x > 0 {
			ratios = append(ratios, x/y)
		}
	}
	slices.Sort(ratios) // a map has no order, and a bootstrap depends on it
	return ratios
}

// Loss is a line of ours that another subject's is faster than.
type Loss struct {
	Line
	To     string   // the fastest of the others
	Slower Interval // how many times its time
}

// losses finds where ours is slower than the heap or than the fastest of the
// others, by more than chance.
func losses(all []Line) (found []Loss) {
	for _, l := range all {
		if !Ours(l.Subject) || len(l.byRound) == 0 {
			continue
		}
		best := -1
		for k, other := range all {
			if other.Workload == l.Workload && other.N == l.N && !Ours(other.Subject) && other.Ns > 0 &&
				(best < 0 || other.Ns < all[best].Ns) {
				best = k
			}
		}
		if best < 0 || all[best].Ns >= l.Ns || !differ(samples(l), samples(all[best])) {
			continue
		}
		if ratios := paired(l.byRound, all[best].byRound); len(ratios) > 0 {
			found = append(found, Loss{l, all[best].Subject, interval(ratios)})
		}
	}
	return found
}

func samples(l Line) (v []float64) {
	for _, x := range l.byRound {
		v = append(v, x)
	}
	return v
}
