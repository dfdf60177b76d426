package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
)

// row holds what was measured of a document, by the names of the subjects: for each, how many
// times as long as the arena it takes, one ratio a round.
type row struct {
	document
	live   bool // with a million live objects
	other  bool // hyperpb reads another message
	speed  float64
	ratios map[string][]float64
	allocs map[string]float64
	arena  float64 // bytes of it for each byte of the document
}

// cpu is the processor time of all threads of the process.
func cpu() time.Duration {
	var u syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// compare checks that all subjects read the same, fields being marshalled in any order, and
// returns whether hyperpb does: v0.1.3 reads some lists of strings with one too many.
func compare(d document, all []subject) (other bool) {
	for _, s := range all {
		b, err := proto.Marshal(s.read())
		must(err)
		s.done()
		got := d.kind.ProtoReflect().New().Interface()
		must(proto.Unmarshal(b, got))
		if !proto.Equal(got, d.kind) {
			if other = s.name == "hyperpb"; other {
				continue
			}
			panic(s.name + " reads another message: " + d.name)
		}
	}
	return other
}

// measure runs all subjects in turns.
func measure(d document, rounds, bytes int, live bool) row {
	all := subjects(d)
	r := row{document: d, live: live, other: compare(d, all), ratios: map[string][]float64{}, allocs: map[string]float64{}}
	n := max(1, bytes/len(d.bytes))
	var speeds []float64
	for round := range rounds + 1 {
		var took float64
		for i, s := range all {
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := cpu()
			for range n {
				s.read()
				s.done()
			}
			used := float64(cpu() - start)
			runtime.ReadMemStats(&after)
			if round == 0 {
				continue // warms up
			}
			if i == 0 {
				took = used
				speeds = append(speeds, float64(n*len(d.bytes))/used*1000)
			}
			r.ratios[s.name] = append(r.ratios[s.name], used/took)
			r.allocs[s.name] = float64(after.Mallocs-before.Mallocs) / float64(n)
		}
	}
	slices.Sort(speeds)
	r.speed = speeds[len(speeds)/2]
	a := arena.NewArena(chunkSize, maxRetained)
	m := proto.Clone(d.kind)
	must(arenapb.Unmarshal(a, d.bytes, m))
	r.arena = float64(a.Stats().UsedBytes) / float64(len(d.bytes))
	return r
}

// spread is the median of x with the least and the greatest.
func spread(x []float64) string {
	if len(x) == 0 {
		return "-"
	}
	slices.Sort(x)
	return fmt.Sprintf("%.1f (%.1f–%.1f)", x[len(x)/2], x[0], x[len(x)-1])
}

// table is the page's table of what was measured.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| document | bytes | arena, MB/s | its allocations | arena bytes a byte | proto.Unmarshal | vtprotobuf | hyperpb | a new arena |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range rows {
		name := r.name
		if r.live {
			name += ", 1000000 objects live"
		}
		hyper := spread(r.ratios["hyperpb"])
		if r.other {
			hyper += " \\*"
		}
		fmt.Fprintf(&b, "| %s | %d | %.0f | %.0f | %.1f | %s | %s | %s | %s |\n", name, len(r.bytes), r.speed, r.allocs["arena"], r.arena,
			spread(r.ratios["proto.Unmarshal"]), spread(r.ratios["vtprotobuf"]), hyper, spread(r.ratios["new arena"]))
	}
	return b.String()
}
