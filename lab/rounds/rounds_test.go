package rounds

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// Every program runs once per round, and its output is read back as a result of that round.
func TestTurns(t *testing.T) {
	echo, err := exec.LookPath("echo")
	if err != nil {
		t.Skip(err)
	}
	var b bytes.Buffer
	programs := []Program{{Path: echo, Args: []string{"BenchmarkA 1 5 ns/op"}}, {Build: "asan", Path: echo, Args: []string{"BenchmarkA 1 7 ns/op"}}, {Path: "/nowhere"}}
	failed := 0
	if err := Run(t.Context(), &b, 3, programs, func(Program, error) error { failed++; return nil }); err != nil {
		t.Fatal(err)
	}
	m, err := Parse(&b, "echo")
	if err != nil {
		t.Fatal(err)
	}
	if a, c := m.Values("A", Time), m.Values("asan/A", Time); len(a) != 3 || a[0] != 5 || len(c) != 3 || c[2] != 7 || failed != 3 {
		t.Errorf("%v, %v, %d failures", a, c, failed)
	}
	broken := errors.New("broken")
	if err := Run(t.Context(), &b, 1, programs[2:], func(Program, error) error { return broken }); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, &b, 1, programs, func(Program, error) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, text := range []string{"PASS\n", "BenchmarkA 1 x ns/op\n"} {
		if _, err := Parse(strings.NewReader(text), "x"); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestFromCpp(t *testing.T) {
	const text = `{"context":{},"benchmarks":[
{"run_name":"sync/churn/ebb + mutex/real_time","run_type":"iteration","repetition_index":1,"iterations":3,"real_time":9,"ns/op":2.5},
{"run_name":"sync/churn/ebb + mutex/real_time","run_type":"iteration","repetition_index":0,"iterations":3,"real_time":9,"ns/op":1.5},
{"run_name":"sync/churn/ebb + mutex/real_time","run_type":"aggregate","ns/op":2},
{"run_name":"sync/larson/ebb sync/process_time","run_type":"iteration","repetition_index":0,"iterations":1,"ns/op":3},
{"run_name":"latency/x/iterations:1","run_type":"iteration","repetition_index":0,"iterations":1,"p99-ns":42}]}`
	var b bytes.Buffer
	if err := FromCpp(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	m, err := Parse(&b, "cpp")
	if err != nil {
		t.Fatal(err)
	}
	if v := m.Values("sync/churn/ebb-+-mutex", Time); len(v) != 2 || v[0] != 1.5 || v[1] != 2.5 {
		t.Errorf("the rounds are %v", v)
	}
	if v := m.Values("sync/larson/ebb-sync", Time); len(v) != 1 || v[0] != 3 {
		t.Errorf("by the processor's time it is %v", v)
	}
	if v := m.Values("latency/x", "p99-ns"); len(v) != 1 || v[0] != 42 {
		t.Errorf("p99 is %v", v)
	}
	if err := FromCpp(&b, []byte(`{"benchmarks":[{"run_name":"x","run_type":"iteration","error_occurred":true,"error_message":"twice"}]}`)); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Error(err)
	}
	if err := FromCpp(&b, []byte("bench: no such file")); err == nil {
		t.Error("that was read")
	}
}
