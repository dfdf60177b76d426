package tenminutes

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

var update = flag.Bool("update", false, "write what is counted into docs/guide.md")

const page = "../guide.md"

var steps = []struct {
	name    string
	handler http.Handler
}{
	{"plain Go", http.HandlerFunc(servePlain)},
	{"1. JSON", handlerJSON()},
	{"2. values, text, maps", handlerText()},
	{"3. what `fmt` boxes", handlerBoxes()},
}

// body returns an order of 20 items.
func body() []byte {
	b := []byte(`{"id":"order-4711","items":[`)
	for i := range 20 {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"sku":"sku-%04d","title":"thing number %d","cents":%d,"qty":%d,"tags":["t%d","new","blue"]}`, i*37, i, 999+i*100, 1+i%3, i%5)
	}
	return append(b, "]}"...)
}

// sink is a ResponseWriter that does not allocate.
type sink struct {
	header http.Header
	bytes.Buffer
	status int
}

func (s *sink) Header() http.Header    { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }

// count returns the heap allocations of a request and their bytes, without net/http's.
func count(h http.Handler) (allocs, size float64) {
	w := &sink{header: http.Header{}}
	reader := bytes.NewReader(body())
	r := httptest.NewRequest("POST", "/", io.NopCloser(reader))
	one := func() {
		w.Reset()
		_, _ = reader.Seek(0, io.SeekStart)
		h.ServeHTTP(w, r)
	}
	for range 100 {
		one()
	}
	const runs = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		one()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / runs, float64(after.TotalAlloc-before.TotalAlloc) / runs
}

// A handler with a timeout responds like one without, in time.
func TestInTime(t *testing.T) {
	w := httptest.NewRecorder()
	handlerInTime(http.HandlerFunc(serveJSON)).ServeHTTP(w, httptest.NewRequest("POST", "/", bytes.NewReader(body())))
	if w.Code != http.StatusOK || w.Body.Len() == 0 {
		t.Errorf("%d %q", w.Code, w.Body)
	}
}

// Every step responds like plain Go.
func TestSameAnswers(t *testing.T) {
	var want string
	for _, s := range steps {
		w := &sink{header: http.Header{}}
		s.handler.ServeHTTP(w, httptest.NewRequest("POST", "/", bytes.NewReader(body())))
		got := strings.TrimSpace(w.String())
		if want == "" {
			want = got
		}
		if got != want || got == "" {
			t.Errorf("%s: %s\nwant %s", s.name, got, want)
		}
		w = &sink{header: http.Header{}}
		s.handler.ServeHTTP(w, httptest.NewRequest("POST", "/", strings.NewReader(`{"id":`)))
		if w.status != http.StatusBadRequest {
			t.Errorf("%s: broken JSON is answered with %d", s.name, w.status)
		}
		// As the page says, data after the document is refused from step 1 on.
		r := httptest.NewRecorder()
		s.handler.ServeHTTP(r, httptest.NewRequest("POST", "/", strings.NewReader(string(body())+"{}")))
		if want := map[bool]int{true: http.StatusOK, false: http.StatusBadRequest}[s.name == "plain Go"]; r.Code != want {
			t.Errorf("%s: data after the document is answered with %d, want %d", s.name, r.Code, want)
		}
	}
}

// The table of the page contains the counts of this test, within five percent.
func TestTable(t *testing.T) {
	if check.On || check.Race || check.ASan || !machine.LayoutOK || runtime.GOARCH != "amd64" {
		t.Skip("these builds allocate for themselves")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| after step | allocations per request | bytes |\n| --- | ---: | ---: |\n")
	row := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([0-9]+) \| ([0-9]+) \|$`)
	between := regexp.MustCompile(`(?s)(<!-- handler:begin -->\n).*(<!-- handler:end -->)`)
	said := row.FindAllStringSubmatch(between.FindString(string(text)), -1)
	for i, s := range steps {
		allocs, size := count(s.handler)
		fmt.Fprintf(&table, "| %s | %.0f | %.0f |\n", s.name, allocs, size)
		if *update {
			continue
		}
		if s.name == "plain Go" && !strings.HasPrefix(runtime.Version(), "go1.26") {
			continue // the page says that it is that one's
		}
		if len(said) != len(steps) || said[i][1] != s.name {
			t.Fatalf("the page's table is not of these steps: go test -C docs ./tenminutes -update")
		}
		for j, got := range []float64{allocs, size} {
			var want float64
			fmt.Sscan(said[i][2+j], &want)
			if slack := max(want/20, 2+float64(j)*64); got < want-slack || got > want+slack {
				t.Errorf("%s: %.0f, and the page says %.0f", s.name, got, want)
			}
		}
	}
	if *update {
		if err := os.WriteFile(page, between.ReplaceAll(text, []byte("${1}"+table.String()+"${2}")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The page's code is part of the files of its two examples, line by line.
func TestSnippets(t *testing.T) {
	testkit.Snippets(t, page, "*.go", "../converting/*/expr.go", "../converting/*_test.go")
}

// BenchmarkSteps times the steps: go test -C docs -bench . ./tenminutes
func BenchmarkSteps(b *testing.B) {
	for _, s := range steps {
		b.Run(strings.ReplaceAll(s.name, " ", "_"), func(b *testing.B) {
			w := &sink{header: http.Header{}}
			reader := bytes.NewReader(body())
			r := httptest.NewRequest("POST", "/", io.NopCloser(reader))
			b.ReportAllocs()
			for b.Loop() {
				w.Reset()
				_, _ = reader.Seek(0, io.SeekStart)
				s.handler.ServeHTTP(w, r)
			}
		})
	}
}
