package matrix_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/lab/matrix"
	"github.com/ebbpool/arena/lab/subjects"
)

var few = matrix.Settings{Seed: 5, Rounds: 3, Least: time.Microsecond,
	Workloads: []string{"request", "corruption"}, Subjects: []string{"heap", "Arena", "bytebump"}}

// Each round has every cell once, and the third none that counts instead of
// timing; the subjects of a workload follow each other
// in an order that the seed gives, and that changes from round to round.
func TestPlan(t *testing.T) {
	plan := few.Plan()
	if len(plan) != 6+6+3 {
		t.Fatalf("%d steps", len(plan))
	}
	orders := map[string]bool{}
	for round := range 3 {
		part := plan[round*6 : min(round*6+6, len(plan))]
		order := ""
		seen := map[matrix.Cell]bool{}
		for i, s := range part {
			if s.Round != round+1 || seen[s.Cell] || round == 2 && s.Workload == "corruption" {
				t.Errorf("step %d of round %d is %v", i, round+1, s)
			}
			if i%3 != 0 && s.Workload != part[i-1].Workload {
				t.Errorf("round %d: the subjects of a workload are apart", round+1)
			}
			seen[s.Cell] = true
			order += s.Subject + " "
		}
		orders[order] = true
	}
	if len(orders) < 2 {
		t.Error("all rounds have one order")
	}
	if !slices.Equal(plan, few.Plan()) {
		t.Error("the same seed gives another order")
	}
	other := few
	other.Seed++
	if slices.Equal(plan, other.Plan()) {
		t.Error("another seed gives the same order")
	}
}

func TestSettings(t *testing.T) {
	for want, spoil := range map[string]func(*matrix.Settings){
		"unknown workload": func(s *matrix.Settings) { s.Workloads = []string{"flat", "flatt"} },
		"unknown subject":  func(s *matrix.Settings) { s.Subjects = []string{"tcmalloc"} },
		"at least one":     func(s *matrix.Settings) { s.Rounds = 0 },
	} {
		s := few
		spoil(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if err := few.Check(); err != nil {
		t.Error(err)
	}
}

func fake(_ context.Context, c matrix.Cell, _ time.Duration) (matrix.Result, error) {
	if c.Subject == subjects.ByteBump {
		return matrix.Result{Status: matrix.Crashed, Detail: `a "fault", with a comma`}, nil
	}
	return matrix.Result{Status: matrix.OK, Checksum: 0xfeed, Values: []matrix.Value{{Metric: matrix.NsPerOp, Value: 12.5}, {Metric: matrix.BytesPerOp, Value: 0}}}, nil
}

// A run that is out of time ends with the round that it has begun, says so, and
// goes on where it was; a call measures one round, whatever it takes.
func TestOutOfTime(t *testing.T) {
	soon := few
	soon.Within = time.Nanosecond
	folder, err := matrix.Create(filepath.Join(t.TempDir(), "run"), matrix.Here(soon))
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []int{6, 6 + 6, 6 + 6 + 3, 6 + 6 + 3} {
		if err := folder.Run(t.Context(), fake, 1, nil, func(int, string) {}); err != nil {
			t.Fatal(err)
		}
		steps := map[matrix.Step]bool{}
		for _, r := range folder.Rows {
			steps[matrix.Step{Cell: r.Cell, Round: r.Round}] = true
		}
		if len(steps) != want {
			t.Errorf("after call %d there are %d measurements, want %d", round+1, len(steps), want)
		}
		env, err := matrix.ReadEnvironment(folder.Dir)
		if err != nil || len(env.Notes) != min(round+1, 2) || !strings.HasPrefix(env.Notes[0], "rounds 2 to 3 of the matrix: not begun after 1ns") {
			t.Errorf("notes %q, %v", env.Notes, err)
		}
	}
}

// What is measured is kept at once; a run that was stopped goes on where it
// was, and what is kept is never measured again.
func TestStopAndResume(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	folder, err := matrix.Create(dir, matrix.Here(few))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	stopping := func(ctx context.Context, c matrix.Cell, d time.Duration) (matrix.Result, error) {
		if calls++; calls == 8 {
			return matrix.Result{}, context.Canceled
		}
		return fake(ctx, c, d)
	}
	quiet := func(int, string) {}
	if err := folder.Run(t.Context(), stopping, 1, nil, quiet); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: %v", err)
	}
	// A line that a killed process did not end.
	name := filepath.Join(dir, matrix.GoFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append(text, "request,1000,he"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := matrix.Open(dir); err == nil {
		t.Error("half a line is read")
	}
	if err := matrix.Repair(dir); err != nil {
		t.Fatal(err)
	}
	if folder, err = matrix.Open(dir); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(folder.Environment.Settings, few) {
		t.Errorf("settings %+v", folder.Environment.Settings)
	}
	calls = 100
	if err := folder.Run(t.Context(), stopping, 1, nil, quiet); err != nil {
		t.Fatal(err)
	}
	// Seven were kept; of them Repair drops the last, which it can't trust.
	if calls-100 != len(few.Plan())-6 {
		t.Errorf("%d measurements after the pause", calls-100)
	}
	again, err := matrix.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[matrix.Step]int{}
	for _, r := range again.Rows {
		seen[matrix.Step{Cell: r.Cell, Round: r.Round}]++
		if r.Subject == subjects.ByteBump && (r.Status != matrix.Crashed || r.Detail != `a "fault", with a comma` || r.Metric != "") {
			t.Errorf("a crash is kept as %+v", r)
		}
		if r.Subject != subjects.ByteBump && (r.Checksum != 0xfeed || r.Metric == matrix.NsPerOp && r.Value.Value != 12.5) {
			t.Errorf("a measurement is kept as %+v", r)
		}
	}
	if len(seen) != len(few.Plan()) {
		t.Errorf("%d of %d steps", len(seen), len(few.Plan()))
	}
	for s, n := range seen {
		if want := 2; s.Subject == subjects.ByteBump && n != 1 || s.Subject != subjects.ByteBump && n != want {
			t.Errorf("%v has %d rows", s, n)
		}
	}
	if _, err := matrix.Create(dir, matrix.Here(few)); err == nil {
		t.Error("a folder with results in it is made anew")
	}
}

func TestResumeNeedsTheSameBuild(t *testing.T) {
	here := matrix.Here(few)
	if err := here.Same(here); err != nil {
		t.Error(err)
	}
	other := here
	other.Go = "go1.1"
	if err := here.Same(other); err == nil || !strings.Contains(err.Error(), "go1.1") {
		t.Errorf("another Go: %v", err)
	}
}

// The checksum that most subjects give is the right one, whoever is first.
func TestJudge(t *testing.T) {
	row := func(subject string, sum uint64, status string) matrix.Row {
		return matrix.Row{Cell: matrix.Cell{Workload: "flat", N: 1, Subject: subject}, Round: 1, Status: status,
			Checksum: sum, Value: matrix.Value{Metric: matrix.NsPerOp, Value: 1}}
	}
	rows := []matrix.Row{row("a", 2, matrix.OK), row("a", 2, matrix.OK), row("b", 1, matrix.OK), row("c", 1, matrix.OK), row("d", 9, matrix.Crashed)}
	got := matrix.Judge(rows)
	for i, want := range []string{matrix.Wrong, matrix.Wrong, matrix.OK, matrix.OK, matrix.Crashed} {
		if got[i].Status != want {
			t.Errorf("row %d is %q, want %q", i, got[i].Status, want)
		}
	}
	if rows[0].Status != matrix.OK {
		t.Error("the raw rows were changed")
	}
}

func TestMeasure(t *testing.T) {
	o, err := matrix.Measure(matrix.Cell{Workload: "request", N: 1000, Subject: "Arena"}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	value := func(o matrix.Outcome, metric string) float64 {
		for _, v := range o.Values {
			if v.Metric == metric {
				return v.Value
			}
		}
		t.Errorf("no %s in %v", metric, o.Values)
		return -1
	}
	heap, err := matrix.Measure(matrix.Cell{Workload: "request", N: 1000, Subject: "heap"}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if o.Checksum != heap.Checksum || o.Problem != "" || value(o, matrix.NsPerOp) <= 0 {
		t.Errorf("%+v beside %+v", o, heap)
	}
	// 20 objects, 30 strings and the slices of each of 1,000 requests.
	if n := value(heap, matrix.AllocsPerOp); n < 50_000 || n > 100_000 {
		t.Errorf("the heap's allocations: %v", n)
	}
	if n := value(o, matrix.AllocsPerOp); n > 100 {
		t.Errorf("the arena's allocations: %v", n)
	}
	if _, err := matrix.Measure(matrix.Cell{Workload: "text", N: 10, Subject: "Slab"}, 1); !errors.Is(err, matrix.ErrUnfit) {
		t.Errorf("a subject that is not made for it: %v", err)
	}
}

// The collector's table claims that an arena's 100 calls leave it next to
// nothing to do, and that a clone costs what is cloned.
func TestCollectorTable(t *testing.T) {
	get := func(workload, subject string) map[string]float64 {
		o, err := matrix.Measure(matrix.Cell{Workload: workload, N: 100, Subject: subject}, 0)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]float64{}
		for _, v := range o.Values {
			m[v.Metric] = v.Value
		}
		return m
	}
	heap, ours, clone := get("collector", "heap"), get("collector", "Arena"), get("collector-clone", "Arena")
	const call = 8 * 100_000 // bytes of a call's result
	if heap[matrix.TotalBytes] < 100*call || clone[matrix.TotalBytes] < 100*call {
		t.Errorf("a call's result is not allocated: heap %v, clone %v", heap, clone)
	}
	if ours[matrix.TotalBytes] > 20*call || ours[matrix.TotalBytes] > heap[matrix.TotalBytes]/10 {
		t.Errorf("the arena allocates anew: %v, the heap %v", ours, heap)
	}
	if ours[matrix.Collections] > heap[matrix.Collections]/2 {
		t.Errorf("the arena has the collector run: %v, the heap %v", ours, heap)
	}
}

func TestReadRows(t *testing.T) {
	for want, text := range map[string]string{
		"first line": "a,b\n",
		"line 2":     "workload,n,subject,build,round,status,checksum,metric,value,detail\nflat,1,heap,plain,one,ok,0,ns/op,1,\n",
	} {
		if _, err := matrix.ReadRows(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	rows := []matrix.Row{{Cell: matrix.Cell{Workload: "flat", N: 3, Subject: "heap"}, Round: 2, Status: "ok", Checksum: 1 << 63,
		Value: matrix.Value{Metric: "ns/op", Value: 1.0 / 3}, Detail: "x,\"y\""},
		{Cell: matrix.Cell{Workload: "flat", N: 3, Subject: "heap", Build: "asan"}, Round: 2, Status: "crashed"}}
	var b bytes.Buffer
	if err := matrix.WriteRows(&b, rows, true); err != nil {
		t.Fatal(err)
	}
	if got, err := matrix.ReadRows(&b); err != nil || !reflect.DeepEqual(got, rows) {
		t.Errorf("%v %v", got, err)
	}
}
