package figures

import (
	"fmt"
	"go/version"
	"slices"
	"strings"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/rounds"
	"github.com/ebbpool/arena/lab/subjects"
	"github.com/ebbpool/arena/lab/workloads"
)

// Kinds maps the kinds of measurements to functions that turn their results into figures.
var Kinds = map[string]func(rounds.Measured) ([]Figure, error){
	"bench":       func(m rounds.Measured) ([]Figure, error) { return Measure("bench", Go, m), nil },
	"load":        loaded,
	"matrix":      works,
	"conversions": conversions,
	"shifting":    shifted,
	"isolation":   isolated,
	"others":      ofOthers,
	"automatic":   automatic,
	"json": func(m rounds.Measured) ([]Figure, error) {
		return slices.Concat(Measure("json", JSON, m), codecs(m, "json", "JSON", "arenajson"), codecs(m, "json", "Value", "arenajson")), nil
	},
	"codecs": func(m rounds.Measured) ([]Figure, error) {
		return slices.Concat(Measure("protobuf", Protobuf, m), Measure("adapters", Adapters, m), codecs(m, "protobuf", "protobuf/Codec", "arenapb")), nil
	},
	"cpp":    pools,
	"orders": func(m rounds.Measured) ([]Figure, error) { return services(m, "orders", "open60"), nil },
	"otlp":   func(m rounds.Measured) ([]Figure, error) { return services(m, "otlp", "open33"), nil },
	"instructions": func(m rounds.Measured) (all []Figure, _ error) {
		for _, name := range m.Names { // like Instructions/rolling/16/lower-bound
			p := strings.Split(name, "/")
			g, _ := Figure{Table: "cpp instructions", Work: p[1] + ", " + p[2] + " B", Measure: p[3]}.Single(m.Values(name, "instructions/op"))
			all = append(all, g)
		}
		return all, nil
	},
}

// Of returns the figures of a results file, with the processor and the date that it contains.
func Of(kind, file string) ([]Figure, error) {
	m, err := rounds.Read(file)
	if err != nil {
		return nil, err
	}
	all, err := Kinds[kind](m)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Date = m.Date
		if all[i].Run == "" {
			all[i].Run = Maker(m.CPU) + goVersion(m.Go)
		}
	}
	return all, nil
}

// goVersion returns ", Go 1.27" for go1.27.4, and "" for "".
func goVersion(toolchain string) string {
	if toolchain == "" {
		return ""
	}
	return ", Go " + strings.TrimPrefix(version.Lang(toolchain), "go")
}

// Maker returns the processor's name without its model, which virtual machines do not report.
func Maker(cpu string) string {
	fields := strings.Fields(strings.NewReplacer("(R)", "", "(TM)", "", "CPU", "").Replace(cpu))
	return strings.Join(fields[:min(2, len(fields))], " ")
}

// works compares, for each workload, our fastest subject with the heap and with the fastest other subject. It
// fails if a subject did different work.
func works(m rounds.Measured) (all []Figure, err error) {
	ours := []string{subjects.Region, subjects.Pool, subjects.FixedPool}
	for _, w := range workloads.Catalog() {
		for _, n := range slices.Concat(w.Sizes, w.Full) {
			if err := same(m, w, n); err != nil {
				return nil, err
			}
			name := func(subject string) string { return matrix.Name(w.Name, n, subject) }
			best := func(wanted func(string) bool) (fastest string, values []float64) {
				least := 0.0
				for _, a := range subjects.Allocators() {
					g, ok := Figure{}.Of(m.Values(name(a.Name), rounds.Time))
					if ok && wanted(a.Name) && (fastest == "" || g.Median < least) {
						fastest, least, values = a.Name, g.Median, m.Values(name(a.Name), rounds.Time)
					}
				}
				return fastest, values
			}
			mine, values := best(func(s string) bool { return slices.Contains(ours, s) })
			other, others := best(func(s string) bool { return !slices.Contains(ours, s) })
			work := fmt.Sprintf("%s: %d %s", w.Title, n, w.Unit)
			for _, g := range []struct {
				measure  string
				num, den []float64
			}{
				{"times as fast as the Go heap (" + mine + ")", m.Values(name(subjects.Heap), rounds.Time), values},
				{"times the time of " + subjects.Marked(other), values, others},
			} {
				if other == subjects.Heap && g.measure == "times the time of "+other {
					continue // reported before
				}
				if g, ok := (Figure{Table: "work", Work: work, Measure: g.measure}).Of(Ratios(g.num, g.den, false)); ok {
					all = append(all, g)
				}
			}
		}
	}
	return all, nil
}

// same returns an error if the checksums of the subjects differ.
func same(m rounds.Measured, w workloads.Workload, n int) error {
	first, by := 0.0, ""
	for _, name := range m.Names {
		if !strings.HasPrefix(name, matrix.Name(w.Name, n, "")) {
			continue
		}
		for _, sum := range m.Values(name, "checksum") {
			if by == "" {
				first, by = sum, name
			}
			if sum != first {
				return fmt.Errorf("%s has checksum %.0f, and %s has %.0f", name, sum, by, first)
			}
		}
	}
	return nil
}

// codecs compares, for each document of a benchmark, our codec with the others: our speed, and the ratios of
// their times to ours. Codecs built with another Go are compared with ours built by that Go. A C++ DOM has no
// ratio but its own speed.
func codecs(m rounds.Measured, table, bench, name string) (all []Figure) {
	ours := "codec=" + name
	// Ours is the first column, and the results of other programs are the last ones, in any order of results.
	column := func(name string) int {
		switch what, codec, _ := strings.Cut(name, "codec="); {
		case !strings.HasPrefix(what, bench+"/") || strings.HasSuffix(codec, ",_C++"):
			return 2
		case "codec="+codec != ours:
			return 1
		}
		return 0
	}
	names := slices.SortedStableFunc(slices.Values(m.Names), func(a, b string) int { return column(a) - column(b) })
	for _, name := range names {
		what, codec, _ := strings.Cut(name, "codec=")
		build, what, ok := strings.Cut(what, bench+"/op=")
		if !ok {
			continue
		}
		op, doc, _ := strings.Cut(what, "/doc=")
		doc, live, _ := strings.Cut(strings.TrimSuffix(doc, "/"), "/live=")
		if live != "0" && live != "" {
			doc += ", " + live + " objects live"
		}
		g := Figure{Table: table + ": " + strings.ReplaceAll(op, "_", " "), Work: doc}
		mine := name[:strings.Index(name, "codec=")] + ours
		add := func(measure string, values []float64, short bool) {
			g.Measure = measure
			g, ok := g.Of(values)
			if short {
				g, ok = g.Single(values)
			}
			if ok {
				all = append(all, g)
			}
		}
		switch {
		case strings.HasSuffix(codec, ",_C++"):
			add(strings.ReplaceAll(codec, "_", " ")+", MB/s", m.Values(name, "MB/s"), true)
		case name != mine:
			codec = strings.ReplaceAll(codec, "_", " ")
			if build != "" {
				codec += ", " + strings.TrimSuffix(build, "/")
			}
			add(codec, Ratios(m.Values(name, rounds.Time), m.Values(mine, rounds.Time), false), false)
		case build == "":
			add(strings.TrimPrefix(ours, "codec=")+", MB/s", m.Values(name, "MB/s"), true)
			add("allocations", m.Values(name, "allocs/op"), true)
			add("arena bytes a byte", m.Values(name, "arena-B/B"), true)
		}
	}
	return all
}

// pools returns the claims of C++ and the data of its three pictures: percentiles of calls, speed relative to
// malloc by capacity, and our ratios by pattern and size.
func pools(m rounds.Measured) ([]Figure, error) {
	all := Measure("cpp", Cpp, m)
	add := func(table, work, measure string, values []float64) {
		if g, ok := (Figure{Table: table, Work: work, Measure: measure}).Single(values); ok {
			all = append(all, g)
		}
	}
	var works, sizes, counts, names []string
	for _, name := range m.Names {
		if p := strings.Split(name, "/"); p[0] == "matrix" {
			works, sizes, counts, names = appendNew(works, p[1]), appendNew(sizes, p[2]), appendNew(counts, p[3]), appendNew(names, p[4])
		}
	}
	const malloc, ours = "glibc-malloc", "ebb-trap"
	for _, s := range names {
		for _, n := range counts {
			add("cpp speedup", s, n, GeometricMeans(cells(m, "matrix/*/*/"+n+"/"+malloc, s, rounds.Time)))
		}
	}
	for _, w := range works {
		for _, size := range sizes {
			for _, n := range counts {
				at := strings.Join([]string{"matrix", w, size, n, ""}, "/")
				add("cpp heatmap", w, size+" B x "+n, Ratios(m.Values(at+malloc, rounds.Time), m.Values(at+ours, rounds.Time), false))
			}
		}
	}
	for _, name := range m.Names {
		if p := strings.Split(name, "/"); p[0] == "latency" {
			for _, q := range []string{"50", "90", "99", "99.9", "99.99"} {
				add("cpp latency", p[len(p)-1], q, m.Values(name, "p"+q+"-ns"))
			}
		}
	}
	return all, nil
}

// shifted compares, for each phase of a changing load, the adaptive pool with the fastest pool of fixed chunk
// size, and the server with arenas with the ordinary one.
func shifted(m rounds.Measured) (all []Figure, _ error) {
	add := func(work, measure string, values []float64) {
		if g, ok := (Figure{Table: "shifting", Work: work, Measure: measure}).Of(values); ok {
			all = append(all, g)
		}
	}
	for _, name := range m.Names {
		p := strings.Split(name, "/") // like Shift/phase=night/side=arena
		work := strings.ReplaceAll(strings.TrimPrefix(p[1], "phase="), "_", " ")
		switch p[0] + "/" + p[2] {
		case "Pool/pool=auto":
			const time, memory = "cpu-ns/req", "retained-B"
			best, at := "", "Pool/"+p[1]+"/pool="
			for _, other := range m.Names {
				if size, ok := strings.CutPrefix(other, at); ok && size != "auto" && (best == "" || median(m.Values(other, time)) < median(m.Values(at+best, time))) {
					best = size
				}
			}
			add("`NewAutoPool`, "+work, "times the throughput of the fastest fixed chunk size, "+best+" KB", Ratios(m.Values(at+best, time), m.Values(name, time), false))
			add("`NewAutoPool`, "+work, "times the memory that it retains", Ratios(m.Values(name, memory), m.Values(at+best, memory), false))
		case "Shift/side=arena":
			add("a server, "+work, "times the resident memory of the ordinary one", Ratios(m.Values(name, "resident-B"), m.Values("Shift/"+p[1]+"/side=plain", "resident-B"), false))
		}
	}
	return all, nil
}

// isolated returns the cost of isolation for each kind of request, by the number of live objects.
func isolated(m rounds.Measured) (all []Figure, _ error) {
	for _, work := range []string{"the handler", "20 objects", "200 objects", "2000 objects"} {
		for _, name := range m.Names {
			p := strings.Split(strings.ReplaceAll(name, "_", " "), "/") // like Isolation/work=20_objects/gogc=100/live=0
			if p[1] != "work="+work {
				continue
			}
			percent, live := strings.TrimPrefix(p[2], "gogc="), strings.TrimPrefix(p[3], "live=")
			g := Figure{Table: "isolation", Work: work + ", " + live + " live"}
			if percent != "100" {
				g.Work += ", GOGC=" + percent
			}
			for _, c := range [][2]string{
				{"times a pool's that does not isolate", "of-pool"}, {"times the heap's", "of-heap"}, {"allocations", "allocs/req"},
				{"a keyed pool of 100 tenants: times a plain pool's", "keyed-of-pool"},
			} {
				g.Measure = c[0]
				if g, ok := g.Of(m.Values(name, c[1])); ok {
					all = append(all, g)
				}
			}
		}
	}
	return all, nil
}

// services compares a service with arenas with its counterpart without.
func services(m rounds.Measured, name, open string) (all []Figure) {
	for _, row := range []struct {
		work, loop, unit string
		scale            float64
	}{
		{"time of a request outside the database, µs", "outside", "ns/op", 1e-3},
		{"closed loop: requests/s", "closed", "req/s", 1}, {"closed loop: CPU per request, µs", "closed", "cpu-ns/req", 1e-3},
		{"closed loop: p50, ms", "closed", "p50-ns", 1e-6}, {"closed loop: p99, ms", "closed", "p99-ns", 1e-6},
		{"closed loop: p99.9, ms", "closed", "p99.9-ns", 1e-6}, {"closed loop: max, ms", "closed", "max-ns", 1e-6},
		{"open loop: p50, ms", open, "p50-ns", 1e-6}, {"open loop: p99, ms", open, "p99-ns", 1e-6},
		{"open loop: p99.9, ms", open, "p99.9-ns", 1e-6}, {"open loop: max, ms", open, "max-ns", 1e-6},
		{"collections in 1000 requests", "closed", "GCs/1000req", 1}, {"pauses in 1000 requests, ms", "closed", "pause-ns/req", 1e-3},
		{"allocated for a request, KB", "closed", "B/req", 1.0 / 1024}, {"peak RSS, MB", "closed", "peak-B", 1.0 / (1 << 20)},
	} {
		of := func(side string) []float64 {
			return m.Values(fmt.Sprintf("Service/service=%s/loop=%s/side=%s", name, row.loop, side), row.unit)
		}
		for _, side := range []string{"plain", "arena"} {
			var values []float64
			for _, v := range of(side) {
				values = append(values, v*row.scale)
			}
			if g, ok := (Figure{Table: name, Work: row.work, Measure: side}).Single(values); ok {
				all = append(all, g)
			}
		}
		if g, ok := (Figure{Table: name, Work: row.work, Measure: "arena / plain"}).Of(Ratios(of("arena"), of("plain"), false)); ok {
			all = append(all, g)
		}
	}
	return all
}
