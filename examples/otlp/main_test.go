package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	logsrpc "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricsrpc "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracerpc "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/ebbpool/arena/examples/otlp/batch"
)

// output may be read while run writes it.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// The program is started, receives requests of many clients, and is stopped, with arenas and without. It
// prints the same totals.
func TestProgram(t *testing.T) {
	var tables []string
	for _, args := range [][]string{{}, {"-plain"}} {
		ctx, stop := context.WithCancel(t.Context())
		out, ended := new(output), make(chan error)
		go func() { ended <- run(ctx, append(args, "-listen", "127.0.0.1:0"), out) }()
		var addr string
		for range 5000 {
			if first, _, ok := strings.Cut(out.String(), "\n"); ok {
				addr = strings.TrimPrefix(first, "listening at ")
				break
			}
			time.Sleep(time.Millisecond)
		}
		if addr == "" {
			t.Skip("SKIPPED: can't listen here: ", out)
		}
		conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() { send(t, conn, fmt.Sprint("service-", i)) })
		}
		all.Wait()
		conn.Close()
		stop()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(out.String(), "\n")
		table, arenas, ok := strings.Cut(table, "\n"+"800 arenas")
		if plain := len(args) == 1; ok == plain {
			t.Errorf("%v: the arenas are %v, %q", args, ok, out)
		} else if !plain && arenas != " were taken, 800 given back\n" {
			t.Error(arenas)
		}
		tables = append(tables, strings.TrimSpace(table))
	}
	if tables[0] != tables[1] {
		t.Errorf("with arenas:\n%s\nwithout:\n%s", tables[0], tables[1])
	}
	for _, line := range strings.Split(tables[1], "\n")[1:] {
		if f := strings.Fields(line); strings.Join(f[1:], " ") != "1950 0 250µs 2000 100 1000 3000" {
			t.Errorf("%q", line)
		}
	}
}

// send sends the requests of a service, 200 of them.
func send(t *testing.T, conn grpc.ClientConnInterface, service string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	traces, logs, metrics := tracerpc.NewTraceServiceClient(conn), logsrpc.NewLogsServiceClient(conn), metricsrpc.NewMetricsServiceClient(conn)
	for range 50 {
		if r, err := traces.Export(ctx, batch.Traces(service, 39)); err != nil || r.PartialSuccess != nil {
			t.Error(r, err)
		}
		bad := batch.Traces(service, 2)
		for _, span := range bad.ResourceSpans[0].ScopeSpans[0].Spans {
			span.TraceId = nil
		}
		if r, err := traces.Export(ctx, bad); err != nil || r.PartialSuccess.GetRejectedSpans() != 2 ||
			!strings.HasPrefix(r.PartialSuccess.ErrorMessage, "2 spans without ids") {
			t.Error(r, err)
		}
		if _, err := logs.Export(ctx, batch.Logs(service, 40)); err != nil {
			t.Error(err)
		}
		if _, err := metrics.Export(ctx, batch.Metrics(service, 10)); err != nil {
			t.Error(err)
		}
	}
}

// The load test's figures are for requests of these sizes.
func TestSizes(t *testing.T) {
	for n, want := range map[int][2]int{1: {457, 457}, 375: {88_000, 92_000}} {
		if size := proto.Size(batch.Traces("orders", n)); size < want[0] || size > want[1] {
			t.Errorf("%d spans have %d bytes", n, size)
		}
	}
}
