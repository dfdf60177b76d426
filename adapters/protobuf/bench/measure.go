package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/testkit/turns"
)

// row holds what was measured of a document, by the names of the subjects: for each, how many
// times as long as the arena it takes, one ratio a round.
type row struct {
	document
	live   bool // with a million live objects
	other  bool // hyperpb reads another message
	speed  float64
	ratios map[string]turns.Spread
	allocs map[string]float64 // of reading
	arena  float64            // bytes of it for each byte of the document
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
	for _, w := range writers(d) {
		got := d.kind.ProtoReflect().New().Interface()
		must(proto.Unmarshal(w.write(), got))
		if !proto.Equal(got, d.kind) {
			panic(w.name + " writes another message: " + d.name)
		}
	}
	return other
}

// measure runs all subjects in turns, and then all writers.
func measure(d document, rounds, bytes int, live bool) row {
	all := subjects(d)
	r := row{document: d, live: live, other: compare(d, all), ratios: map[string]turns.Spread{}, allocs: map[string]float64{}}
	n := max(1, bytes/len(d.bytes))
	reads, writes := make([]work, len(all)), []work{}
	for i, s := range all {
		reads[i] = work{s.name, func() { s.read(); s.done() }}
	}
	for _, w := range writers(d) {
		writes = append(writes, work{w.name, func() { w.write() }})
	}
	took, allocs := inTurns(n, rounds, reads)
	for i, s := range all {
		r.ratios[s.name] = turns.Ratio(took[i], took[0])
		r.allocs[s.name] = allocs[i]
	}
	r.speed = float64(n*len(d.bytes)) / turns.Of(took[0]).Median * 1000
	took, _ = inTurns(n, rounds, writes)
	for i, w := range writes[1:] {
		r.ratios[w.name] = turns.Ratio(took[1+i], took[0])
	}
	a := arena.NewArena(chunkSize, maxRetained)
	m := proto.Clone(d.kind)
	must(arenapb.Unmarshal(a, d.bytes, m))
	r.arena = float64(a.Stats().UsedBytes) / float64(len(d.bytes))
	return r
}

type work struct {
	name string
	do   func()
}

// inTurns returns the processor time of n calls of each, for each round, and its allocations
// in one call of the last round.
func inTurns(n, rounds int, all []work) (took [][]float64, allocs []float64) {
	run, allocs := make([]func() float64, len(all)), make([]float64, len(all))
	for i, w := range all {
		run[i] = func() float64 {
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := turns.ProcessorTime()
			for range n {
				w.do()
			}
			used := turns.ProcessorTime() - start
			runtime.ReadMemStats(&after)
			allocs[i] = float64(after.Mallocs-before.Mallocs) / float64(n)
			return float64(used)
		}
	}
	turns.Run(1, run...) // warms up
	return turns.Run(rounds, run...), allocs
}

// processor is the name of this one's processor, or "" where the system does not tell it.
func processor() string {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return ""
	}
	all, err := fs.CPUInfo()
	if err != nil || len(all) == 0 {
		return ""
	}
	return all[0].ModelName
}

// times is a subject's entry in the table.
func (r row) times(subject string) string {
	if s, ok := r.ratios[subject]; ok {
		return s.String()
	}
	return "-"
}

// table is the page's table of what was measured.
func table(rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| document; %s, %s | bytes | arena, MB/s | its allocations | arena bytes a byte | proto.Unmarshal | vtprotobuf | hyperpb | a new arena | proto.Marshal | MarshalVT |\n", processor(), time.Now().Format(time.DateOnly))
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range rows {
		name := r.name
		if r.live {
			name += ", 1000000 objects live"
		}
		hyper := r.times("hyperpb")
		if r.other {
			hyper += " \\*"
		}
		fmt.Fprintf(&b, "| %s | %d | %.0f | %.0f | %.1f | %s | %s | %s | %s | %s | %s |\n", name, len(r.bytes), r.speed, r.allocs["arena"], r.arena,
			r.times("proto.Unmarshal"), r.times("vtprotobuf"), hyper, r.times("new arena"),
			r.times("proto.Marshal"), r.times("MarshalVT"))
	}
	return b.String()
}
