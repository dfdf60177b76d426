package jsonbench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/ast"
	"github.com/tidwall/gjson"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// lookups are three paths into each of the large documents: near the beginning, the middle and the end.
var lookups = map[string][3][]any{
	"twitter":        {{"statuses", 0, "user", "screen_name"}, {"statuses", 50, "user", "screen_name"}, {"search_metadata", "count"}},
	"citm":           {{"areaNames", "205705993"}, {"events", "342742595", "name"}, {"venueNames", "PLEYEL_PLEYEL"}},
	"golang_source":  {{"tree", "name"}, {"tree", "kids", 2, "name"}, {"username"}},
	"canada":         {{"type"}, {"features", 0, "properties", "name"}, {"features", 0, "geometry", "coordinates", 479, 600, 1}},
	"synthea":        {{"resourceType"}, {"entry", 10, "resource", "id"}, {"entry", 100, "resource", "resourceType"}},
	"string_unicode": {{"Arabic"}, {"Katakana"}, {"Yi Syllables"}},
}

// search is a library that validates documents and looks up values. They check different things:
//
//   - arenajson: syntax, UTF-8 and nesting of the whole document
//   - gjson: syntax
//   - sonic ast: syntax of the document up to each value, for each lookup again
//   - sonic valid: syntax of the whole document except for escapes and control characters, and UTF-8
//   - simdjson-go: syntax
//
// TestSearchesOfInvalid has an example of each.
type search struct {
	name string
	run  func(text []byte, paths *[3][]any) (found [3]string, err error)
}

// searches returns the libraries, ours first.
func searches() []search {
	a := arena.NewArena(1<<20, 256<<20)
	dotted := map[*[3][]any][3]string{}
	all := []search{
		{Ours, func(text []byte, paths *[3][]any) (found [3]string, err error) {
			a.Reset()
			v, err := arenajson.Parse(a, text)
			for i, path := range paths {
				found[i] = v.Get(path...).Raw()
			}
			return found, err
		}},
		{"gjson", func(text []byte, paths *[3][]any) (found [3]string, err error) {
			if !gjson.ValidBytes(text) {
				return found, fmt.Errorf("not JSON")
			}
			flat, ok := dotted[paths]
			if !ok {
				for i, path := range paths {
					for k, p := range path {
						if k > 0 {
							flat[i] += "."
						}
						flat[i] += fmt.Sprint(p)
					}
				}
				dotted[paths] = flat
			}
			for i, path := range flat {
				found[i] = gjson.GetBytes(text, path).Raw
			}
			return found, nil
		}},
		{"sonic ast", func(text []byte, paths *[3][]any) (found [3]string, err error) {
			return searchAST(text, paths, true)
		}},
		{"sonic valid", func(text []byte, paths *[3][]any) (found [3]string, err error) {
			if !sonic.Valid(text) || !utf8.Valid(text) {
				return found, fmt.Errorf("not JSON")
			}
			return searchAST(text, paths, false)
		}},
	}
	return append(all, moreSearches()...)
}

func searchAST(text []byte, paths *[3][]any, validate bool) (found [3]string, err error) {
	s := ast.NewSearcher(string(text))
	s.ValidateJSON = validate
	for i, path := range paths {
		node, err := s.GetByPath(path...)
		if err != nil {
			return found, err
		}
		if found[i], err = node.Raw(); err != nil {
			return found, err
		}
	}
	return found, nil
}

// BenchmarkValue validates each document and looks up three values.
func BenchmarkValue(b *testing.B) {
	for _, d := range documents(b) {
		paths, ok := lookups[d.Name]
		if !ok {
			continue
		}
		for _, s := range searches() {
			b.Run("op=parse and get/doc="+d.Name+"/codec="+s.name, func(b *testing.B) {
				b.ReportAllocs()
				from, n := time.Duration(0), 0
				for b.Loop() {
					if n == 0 {
						from = processorTime()
					}
					if _, err := s.run(d.text, &paths); err != nil {
						b.Skip(err)
					}
					n++
				}
				spent := float64(processorTime() - from)
				b.ReportMetric(spent/float64(n), "ns/op")
				b.ReportMetric(float64(len(d.text)*n)/spent*1e3, "MB/s")
			})
		}
	}
}

// All libraries find the same values.
func TestSearches(t *testing.T) {
	for _, d := range documents(t) {
		paths, ok := lookups[d.Name]
		if !ok {
			continue
		}
		var want [3]any
		for i, s := range searches() {
			found, err := s.run(d.text, &paths)
			var got [3]any
			for k := range found {
				if err == nil {
					err = json.Unmarshal([]byte(found[k]), &got[k])
				}
			}
			if i == 0 {
				want = got
			}
			if s.name == "simdjson-go" && d.Name == "canada" {
				continue // version 0.4.5 fails to iterate over an array of 660
			}
			if err != nil || got != want {
				t.Errorf("%s finds %.100q in %s, %v; %s finds %.100v", s.name, found, d.Name, err, Ours, want)
			}
		}
	}
}

// What the comment on search says about each library's validation is true: the document follows the values.
func TestSearchesOfInvalid(t *testing.T) {
	paths := &[3][]any{{"a"}, {"a"}, {"a"}}
	for _, c := range []struct{ what, doc, accepted string }{
		{"valid", `{"a":1,"b":"ok"}`, "arenajson gjson sonic ast sonic valid simdjson-go"},
		{"cut off", `{"a":1`, "sonic ast"},
		{"bad number", `{"a":1,"b":01}`, "sonic ast"},
		{"bad escape", `{"a":1,"b":"\x"}`, "sonic ast sonic valid"},
		{"control character", "{\"a\":1,\"b\":\"\x01\"}", "sonic ast sonic valid"},
		{"bad UTF-8", "{\"a\":1,\"b\":\"\xff\"}", "gjson sonic ast simdjson-go"},
	} {
		for _, s := range searches() {
			_, err := s.run([]byte(c.doc), paths)
			if accepted := strings.Contains(c.accepted, s.name); (err == nil) != accepted {
				t.Errorf("%s, %s: %v, want accepted %v", s.name, c.what, err, accepted)
			}
		}
	}
}
