package rounds

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/perf/benchfmt"
)

// Time is the unit of most benchmarks.
const Time = "ns/op"

// Measured holds a file of results: for each benchmark and unit, the values of the rounds in order.
type Measured struct {
	CPU   string   // the processor
	Go    string   // like go1.27.4, or "" if missing
	Date  string   // modification time of the file
	Names []string // in order of first results
	all   map[string]map[string][]float64
}

// Values returns the values of a benchmark, named without "Benchmark" and "-GOMAXPROCS". In another build,
// the name begins with the build's.
func (m Measured) Values(name, unit string) []float64 { return m.all[name][unit] }

// Read reads results. A file without results is an error.
func Read(file string) (Measured, error) {
	f, err := os.Open(file)
	if err != nil {
		return Measured{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Measured{}, err
	}
	m, err := Parse(f, file)
	m.Date = info.ModTime().Format(time.DateOnly)
	return m, err
}

// Parse is Read for a reader.
func Parse(r io.Reader, file string) (Measured, error) {
	m := Measured{all: map[string]map[string][]float64{}}
	br := benchfmt.NewReader(r, file)
	for br.Scan() {
		switch rec := br.Result().(type) {
		case *benchfmt.Result:
			base, parts := rec.Name.Parts()
			name := string(base)
			for _, p := range parts {
				if p[0] != '-' { // the suffix for GOMAXPROCS
					name += string(p)
				}
			}
			if build := rec.GetConfig("build"); build != "" {
				name = build + "/" + name
			}
			if m.all[name] == nil {
				m.Names = append(m.Names, name)
				m.all[name] = map[string][]float64{}
			}
			for _, v := range rec.Values {
				value, unit := v.Value, v.Unit
				if v.OrigUnit != "" {
					value, unit = v.OrigValue, v.OrigUnit
				}
				m.all[name][unit] = append(m.all[name][unit], value)
			}
			if m.CPU == "" {
				m.CPU, m.Go = rec.GetConfig("cpu"), rec.GetConfig("toolchain")
			}
		case *benchfmt.SyntaxError:
			return m, rec
		}
	}
	if err := br.Err(); err != nil {
		return m, err
	}
	if len(m.Names) == 0 {
		return m, fmt.Errorf("%s: %w", file, errNothing)
	}
	return m, nil
}

var errNothing = errors.New("no benchmark result in it")
