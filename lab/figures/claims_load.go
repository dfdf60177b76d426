package figures

import (
	"fmt"
	"strings"

	"github.com/ebbpool/arena/lab/load/handlers"
	"github.com/ebbpool/arena/lab/rounds"
)

// sides are the servers of the load test and their titles.
var sides = []struct {
	name, title string
}{
	{handlers.Plain, "ordinary: `encoding/json`, maps, `fmt`"},
	{handlers.Plain + handlers.Tuned, "the same with `GOGC=400`"},
	{handlers.Plain + handlers.Older, "the same with Go 1.26"},
	{handlers.Sonic, "ordinary, sonic dropped in"},
	{handlers.Goccy, "ordinary, goccy/go-json dropped in"},
	{handlers.ArenaJSON, "ordinary, `arenajson` dropped in, nil arena"},
	{handlers.ArenaJSON + handlers.Tuned, "the same with `GOGC=400`, `arenajson`"},
	{handlers.NilArena, "the arena's code, nil arena"},
	{handlers.NilArena + handlers.Tuned, "the same with `GOGC=400`, nil arena"},
	{handlers.Careful, "sonic and `sync.Pool`, careful"},
	{handlers.Unsafe, "sonic and `sync.Pool`, `unsafe` strings"},
	{handlers.Arena, "arena"},
	{"fasthttp+" + handlers.Plain, "on fasthttp: ordinary"},
	{"fasthttp+" + handlers.Unsafe, "on fasthttp: sonic and `sync.Pool`, `unsafe` strings"},
	{"fasthttp+" + handlers.Arena, "on fasthttp: arena"},
}

// drawn are the handlers in the picture of latency by load.
var drawn = map[string]string{handlers.Plain: "ordinary", handlers.Plain + handlers.Tuned: "ordinary, GOGC=400", handlers.Unsafe: "hand-tuned", handlers.Arena: "Ebbpool"}

const none, many = 0, 5_000_000 // live objects of the server

func service(live int, loop, side string) string {
	return fmt.Sprintf("Service/service=load/live=%d/loop=%s/side=%s", live, loop, side)
}

const (
	noneLive = "CPU of a request, no live objects: times the arena's"
	manyLive = "CPU of a request, 5,000,000 live: times the arena's"
)

// Load returns the claims of the load test: processor time compared with the arena on net/http.
func Load() (all []Claim) {
	for _, k := range []struct {
		measure string
		live    int
	}{{noneLive, none}, {manyLive, many}} {
		for _, s := range sides {
			all = append(all, Claim{s.title, k.measure, service(k.live, "closed", s.name) + "@cpu-ns/req", service(k.live, "closed", handlers.Arena)})
		}
	}
	return all
}

func loaded(m rounds.Measured) ([]Figure, error) {
	all := Measure("load", Load(), m)
	add := func(table, work, measure, name, unit string, scale float64) {
		var values []float64
		for _, v := range m.Values(name, unit) {
			values = append(values, v*scale)
		}
		if g, ok := (Figure{Table: table, Work: work, Measure: measure}).Of(values); ok {
			all = append(all, g)
		}
	}
	for _, s := range sides {
		for _, c := range []struct {
			measure    string
			live       int
			loop, unit string
			scale      float64
		}{
			{"CPU of a request, 5,000,000 live: µs", many, "closed", "cpu-ns/req", 1e-3},
			{"requests/s, 5,000,000 live", many, "closed", "req/s", 1},
			{"p50 at half load, ms", many, "open50", "pooled-p50-ns", 1e-6},
			{"p99 at half load, ms", many, "open50", "pooled-p99-ns", 1e-6},
			{"p99.9 at half load, ms", many, "open50", "p99.9-ns", 1e-6},
			{"p99 at 80 %, ms", many, "open80", "pooled-p99-ns", 1e-6},
			{"p99.9 at 80 %, ms", many, "open80", "p99.9-ns", 1e-6},
			{"resident memory, MB", many, "closed", "peak-B", 1e-6},
			{"collections in 1,000 requests", many, "closed", "GCs/1000req", 1},
			{"allocations of a request", many, "closed", "allocs/req", 1},
		} {
			add("load", s.title, c.measure, service(c.live, c.loop, s.name), c.unit, c.scale)
		}
		for _, p := range [][2]string{{"50", "pooled-p50-ns"}, {"90", "pooled-p90-ns"}, {"99", "pooled-p99-ns"}, {"99.9", "p99.9-ns"}} {
			add("load latency", p[0], s.name, service(many, "open50", s.name), p[1], 1e-3)
		}
		for _, percent := range []string{"20", "50", "80"} {
			add("load p99", drawn[s.name], percent+" %", service(many, "open"+percent, s.name), "pooled-p99-ns", 1e-6)
		}
	}
	return all, nil
}

// frontRows are the rows of the README's table.
var frontRows = [][2]string{
	{handlers.Plain, "ordinary handler: `encoding/json`, maps, `fmt`"},
	{handlers.Plain + handlers.Tuned, "ordinary, with `GOGC=400`"},
	{handlers.ArenaJSON, "ordinary, with `arenajson` alone and no arena"},
	{handlers.Unsafe, "hand-tuned: sonic, `sync.Pool`, `unsafe` strings"},
	{handlers.Arena, "**Ebbpool**"},
	{"fasthttp+" + handlers.Arena, "**Ebbpool** on fasthttp"},
}

// frontColumns maps the measures of the README's table to its column titles.
var frontColumns = [][2]string{
	{noneLive, "CPU per request, no live objects"},
	{manyLive, "CPU per request, 5,000,000 live objects"},
	{"requests/s, 5,000,000 live", "requests/s, 5,000,000 live objects"},
	{"resident memory, MB", "resident memory, MB"},
}

// front returns the README's table, which has the median of each cell, and the paragraph below it.
func front(all []Figure) string {
	load := Newest(Only(all, "load"))
	titles := map[string]string{}
	for _, s := range sides {
		titles[s.name] = s.title
	}
	cell := func(side, measure string) string {
		for _, g := range load {
			if g.Work == titles[side] && g.Measure == measure {
				return number(g.Median)
			}
		}
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| HTTP server of JSON orders; %s, two cores, %s |", load[0].Run, load[0].Date)
	for _, c := range frontColumns {
		fmt.Fprintf(&b, " %s |", c[1])
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(frontColumns)) + "\n")
	for _, row := range frontRows {
		fmt.Fprintf(&b, "| %s |", row[1])
		for _, c := range frontColumns {
			fmt.Fprintf(&b, " %s |", cell(row[0], c[0]))
		}
		b.WriteString("\n")
	}
	const tail = "p99 at 80 %, ms"
	share, _, _ := strings.Cut(frontText(all), "\n")
	fmt.Fprintf(&b, `
CPU time is a multiple of Ebbpool's on net/http. A live object is one that the server keeps, so the collector marks it.
The hand-tuned handler takes %s times Ebbpool's CPU time with no live objects, and %s times with 5,000,000. The handler
on Ebbpool has no `+"`unsafe`"+`, and a pool can limit its memory. With 5,000,000 live objects, at 80 %% of the load that the ordinary
handler can serve, the 99th percentile of latency is %s ms for the ordinary handler, %s ms hand-tuned and %s ms with Ebbpool.
%s
`, cell(handlers.Unsafe, noneLive), cell(handlers.Unsafe, manyLive),
		cell(handlers.Plain, tail), cell(handlers.Unsafe, tail), cell(handlers.Arena, tail), share)
	return b.String()
}

// frontText returns the paragraph below the table of a loaded server.
func frontText(all []Figure) string {
	load := Newest(Only(all, "load"))
	titles := map[string]string{}
	for _, s := range sides {
		titles[s.name] = s.title
	}
	cpu := func(side string) (none, many float64) {
		for _, g := range load {
			switch {
			case g.Work != titles[side]:
			case g.Measure == noneLive:
				none = g.Median
			case g.Measure == manyLive:
				many = g.Median
			}
		}
		return none, many
	}
	both := func(side string) string {
		none, many := cpu(side)
		return fmt.Sprintf("%.2f and %.2f", none, many)
	}
	none, many := cpu(handlers.Plain)
	codecNone, codecMany := cpu(handlers.ArenaJSON)
	return fmt.Sprintf(`Of the CPU time that Ebbpool saves, its codec alone saves %.0f %% with no live objects and %.0f %% with 5,000,000.
The same code with a nil arena takes %s times the arena's CPU time, and %s times with `+"`GOGC=400`"+`.
Pools written by hand take %s times without `+"`unsafe`"+`, and %s times with it.
`, 100*(none-codecNone)/(none-1), 100*(many-codecMany)/(many-1), both(handlers.NilArena), both(handlers.NilArena+handlers.Tuned),
		both(handlers.Careful), both(handlers.Unsafe))
}
