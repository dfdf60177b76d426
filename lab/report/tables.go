package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/results"
	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// Section is a table of the page with its heading.
type Section struct {
	Heading, Text string
	Table         results.Table
	pictures      []*picture
}

// group is a part of the catalogue that has a picture and a table together.
type group struct {
	heading, text string
	workloads     []string
}

var groups = []group{
	{"Objects, strings, one slice", "A life of a million objects, all of them used, its end counted. The three rows of one slice differ: memory that is only reserved, memory that is promised to be zero, memory that is written and read.",
		[]string{"flat", "link", "text", "slice-reserved", "slice-zeroed", "slice-filled"}},
	{"The matrix", "Every object is used, and every operation ends its life.",
		[]string{"Slice", "SimpleStruct", "ComplexStruct", "ComplexStructIter"}},
	{"Growth, requests, trees, pools", "pool shares the allocator among as many goroutines as processors; Arena and bytebump have none to share. giant is 101 lives: the Arena, which may keep 256 MB, keeps what one in 128 lives needs, as bytebump keeps all it ever had; the ArenaPool, which may keep ten chunks, gives the giant back and takes it from the heap each time.",
		[]string{"grow", "grow-turns", "request", "tree", "trees", "pool", "giant"}},
	{"Cold lives", "A new arena for each life, of the chunk size that the package suggests, 64 KB; it is dropped at its end, and the standard library's freed. cold-slice and cold-struct are what the experiment's own benchmark does. Times are of one life.",
		[]string{"cold-slice", "cold-struct", "cold-iter", "cold-request"}},
	{"Four programs", "A parser of GraphQL, one of Markdown with its HTML, a reader of metrics, a handler of JSON orders. The heap's are written as people write Go (package programs); those in an arena are what they were converted to. A life is one document.",
		[]string{"query", "markdown", "metrics", "order", "cold-programs"}},
	{"The end of a life", "The time of the end alone. The heap has no row: its collector frees objects later.",
		[]string{"reset-flat", "reset-link"}},
}

// times is the table of a group: a row for each cell.
func times(all []Line, only []string) results.Table {
	t := results.Table{Head: []string{"work", "subject", "time", "spread", "times as fast as the heap (95 %)",
		"allocs/op", "B/op", "peak memory", "rounds", "remark"}}
	lost := losses(all)
	for _, l := range all {
		if !slices.Contains(only, l.Workload) {
			continue
		}
		row := []string{l.Title(), l.Subject}
		if l.Status != matrix.OK {
			// A subject that failed has no time, nor anything else measured.
			t.Rows = append(t.Rows, append(row, "-", "-", "-", "-", "-", "-", strconv.Itoa(l.Rounds), l.Status+": "+l.Detail))
			continue
		}
		faster := "-"
		if l.Beside && l.Subject != subjects.Heap {
			faster = l.Faster.String()
		}
		t.Rows = append(t.Rows, append(row, duration(l.Ns)+unitOf(l), percent(l.Spread), faster,
			count(l.Medians[matrix.AllocsPerOp]), bytesOf(l.Medians[matrix.BytesPerOp]),
			bytesOf(l.Medians[matrix.PeakRSS]), strconv.Itoa(l.Rounds), remark(l, all, lost)))
	}
	return t
}

// unitOf says what a time is of, where it is not of the whole operation.
func unitOf(l Line) string {
	if l.Work.Per(l.N) == 1 {
		return ""
	}
	switch l.Workload {
	case "pool":
		return " a request"
	case "trees":
		return " a node"
	}
	return " each"
}

// remark says what one must know of a row: all in the same type.
func remark(l Line, all []Line, lost []Loss) string {
	text := ""
	add := func(s string) {
		if text != "" {
			text += "; "
		}
		text += s
	}
	for _, loss := range lost {
		if loss.Cell == l.Cell {
			add(fmt.Sprintf("slower than %s: %s times its time", loss.To, loss.Slower))
		}
	}
	if l.Beside && l.Subject != subjects.Heap && l.Faster.Below(1) && text == "" {
		add("slower than the heap")
	}
	if l.Noisy() {
		add("spread above " + percent(noisy))
	}
	if wrong, of := corrupted(all, l.Subject); wrong > 0 {
		add(fmt.Sprintf("unsafe: loses what only its objects point to (%s of %s)", count(wrong), thousands(of)))
	}
	return text
}

// corrupted is what the corruption table has of a subject.
func corrupted(all []Line, subject string) (wrong float64, of int) {
	for _, l := range all {
		if l.Work.Kind == workloads.Reads && l.Subject == subject {
			return l.Medians[matrix.WrongReads], l.N
		}
	}
	return 0, 0
}

// lossTable lists where ours is slower, and what the faster one is.
func lossTable(all []Line) results.Table {
	t := results.Table{Head: []string{"work", "ours", "times the time (95 %)", "of", "which is"}}
	for _, l := range losses(all) {
		a, err := subjects.FindAllocator(l.To)
		if err != nil {
			continue // lines knows only subjects that are there
		}
		t.Rows = append(t.Rows, []string{l.Title(), l.Subject, l.Slower.String(), l.To, a.What})
	}
	return t
}

func residentTable(all []Line) results.Table {
	t := results.Table{Head: []string{"subject", "request", "resident afterwards", "peak", "status"}}
	for _, l := range all {
		if l.Work.Kind != workloads.Resident {
			continue
		}
		row := []string{l.Subject, thousands(l.N) + " MB"}
		if l.Status != matrix.OK {
			t.Rows = append(t.Rows, append(row, "-", "-", l.Status+": "+l.Detail))
			continue
		}
		t.Rows = append(t.Rows, append(row, bytesOf(l.Medians[matrix.ResidentRSS]), bytesOf(l.Medians[matrix.PeakRSS]), l.Status))
	}
	return t
}

func corruptionTable(all []Line) results.Table {
	t := results.Table{Head: []string{"subject", "objects", "read back wrong", "status"}}
	for _, l := range all {
		if l.Work.Kind != workloads.Reads {
			continue
		}
		wrong, ok := l.Medians[matrix.WrongReads]
		text := "-"
		if ok {
			text = count(wrong)
		}
		status := l.Status
		if l.Detail != "" {
			status += ": " + l.Detail
		}
		t.Rows = append(t.Rows, []string{l.Subject, thousands(l.N), text, status})
	}
	return t
}

func collectorTable(all []Line) results.Table {
	t := results.Table{Head: []string{"phase", "subject", "Alloc after it", "TotalAlloc in it", "Sys after it", "NumGC in it", "status"}}
	for _, l := range all {
		if l.Work.Kind != workloads.Collect {
			continue
		}
		row := []string{l.Work.Title, l.Subject}
		if l.Status != matrix.OK {
			t.Rows = append(t.Rows, append(row, "-", "-", "-", "-", l.Status+": "+l.Detail))
			continue
		}
		t.Rows = append(t.Rows, append(row, bytesOf(l.Medians[matrix.LiveBytes]), bytesOf(l.Medians[matrix.TotalBytes]),
			bytesOf(l.Medians[matrix.SystemBytes]), count(l.Medians[matrix.Collections]), l.Status))
	}
	return t
}

// unmeasured lists which subject has no row for what, and why.
func unmeasured(notes []string) results.Table {
	t := results.Table{Head: []string{"subject", "not measured", "why"}}
	for _, a := range subjects.Allocators() {
		byReason := map[string][]string{}
		var reasons []string
		for _, w := range workloads.Catalog() {
			if why, ok := a.Lacks[w.Need]; ok {
				if byReason[why] == nil {
					reasons = append(reasons, why)
				}
				byReason[why] = append(byReason[why], w.Name)
			}
		}
		for _, why := range reasons {
			t.Rows = append(t.Rows, []string{a.Name, strings.Join(byReason[why], ", "), why})
		}
	}
	for _, u := range subjects.Unmeasured {
		t.Rows = append(t.Rows, []string{u.Name, "all", u.Why})
	}
	for _, note := range notes {
		t.Rows = append(t.Rows, []string{"-", "in this run", note})
	}
	return t
}

func subjectTable() results.Table {
	t := results.Table{Head: []string{"subject", "what it is"}}
	for _, a := range subjects.Allocators() {
		t.Rows = append(t.Rows, []string{a.Name, a.What})
	}
	return t
}
