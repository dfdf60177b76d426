package bench

import (
	"fmt"
	"math/rand/v2"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
)

// document is a message to decode.
type document struct {
	name  string
	kind  proto.Message
	bytes []byte
}

// documents returns generated documents, from a fixed seed: batches as a collector receives them, with the
// names and lengths of OpenTelemetry's conventions.
func documents() []document {
	d := []document{
		{"otlp_trace_small", spans(1, 4), nil},
		{"otlp_traces", spans(210, 8), nil},
		{"otlp_logs", logs(370), nil},
		{"otlp_metrics", metrics(22, 30), nil},
		{"file_descriptor_set", descriptors(), nil},
		{"deep_tree", tree(10), nil},
		{"struct", anyStruct(5), nil},
		{"maps_of_text_and_bytes", containers(150), nil},
		{"entries_with_bytes", entries(200), nil},
	}
	for i := range d {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(d[i].kind)
		if err != nil {
			panic(err)
		}
		d[i].bytes = b
	}
	return d
}

func text(k, v string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: k, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: v}}}
}

func number(k string, v int64) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: k, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: v}}}
}

func resource() *resourcepb.Resource {
	return &resourcepb.Resource{Attributes: []*commonpb.KeyValue{
		text("service.name", "checkout"), text("service.version", "1.42.0"), text("host.name", "node-17.eu-west-1"),
		text("telemetry.sdk.language", "go"),
	}}
}

func attributes(r *rand.Rand, n int) []*commonpb.KeyValue {
	all := []*commonpb.KeyValue{
		text("http.request.method", "POST"), number("http.response.status_code", 200+int64(r.IntN(300))),
		text("url.path", fmt.Sprintf("/api/v1/orders/%d", r.IntN(1e6))), text("server.address", "checkout.internal"),
		number("server.port", 8443), text("user_agent.original", "Go-http-client/2.0"), text("network.protocol.version", "2"),
		text("client.address", fmt.Sprintf("10.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256))),
	}
	return all[:n]
}

func id(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func spans(n, attrs int) proto.Message {
	r := rand.New(rand.NewPCG(1, 1))
	s := &tracepb.ScopeSpans{Scope: &commonpb.InstrumentationScope{Name: "go.opentelemetry.io/contrib/net/http", Version: "0.60.0"}}
	for range n {
		at := 1700000000000000000 + r.Uint64N(1e15)
		span := &tracepb.Span{
			TraceId: id(r, 16), SpanId: id(r, 8), ParentSpanId: id(r, 8), Name: "POST /api/v1/orders/{id}", Kind: tracepb.Span_SPAN_KIND_SERVER,
			StartTimeUnixNano: at, EndTimeUnixNano: at + r.Uint64N(1e9), Attributes: attributes(r, attrs), Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_OK},
		}
		if n > 1 {
			span.Events = []*tracepb.Span_Event{{TimeUnixNano: at + 5, Name: "message", Attributes: []*commonpb.KeyValue{number("message.id", 1), text("message.type", "SENT")}}}
		}
		s.Spans = append(s.Spans, span)
	}
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{Resource: resource(), ScopeSpans: []*tracepb.ScopeSpans{s}, SchemaUrl: "https://opentelemetry.io/schemas/1.26.0"}}}
}

func logs(n int) proto.Message {
	r := rand.New(rand.NewPCG(2, 2))
	s := &logspb.ScopeLogs{Scope: &commonpb.InstrumentationScope{Name: "slog"}}
	for i := range n {
		at := 1700000000000000000 + r.Uint64N(1e15)
		s.LogRecords = append(s.LogRecords, &logspb.LogRecord{
			TimeUnixNano: at, ObservedTimeUnixNano: at + 1000, SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_INFO, SeverityText: "INFO",
			Body:    &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: fmt.Sprintf("order %d of customer %d was accepted in %d ms", i, r.IntN(1e5), r.IntN(900))}},
			TraceId: id(r, 16), SpanId: id(r, 8), Attributes: attributes(r, 3), Flags: 1,
		})
	}
	return &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{Resource: resource(), ScopeLogs: []*logspb.ScopeLogs{s}}}}
}

func metrics(n, points int) proto.Message {
	r := rand.New(rand.NewPCG(3, 3))
	s := &metricspb.ScopeMetrics{Scope: &commonpb.InstrumentationScope{Name: "runtime"}}
	for i := range n {
		at := 1700000000000000000 + r.Uint64N(1e15)
		m := &metricspb.Metric{Name: fmt.Sprintf("http.server.request.duration.%d", i), Description: "Duration of HTTP server requests", Unit: "s"}
		if i%3 == 0 {
			h := &metricspb.Histogram{AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}
			for range points / 2 {
				p := &metricspb.HistogramDataPoint{StartTimeUnixNano: at, TimeUnixNano: at + 1e10, Count: r.Uint64N(1e6), Sum: proto.Float64(r.Float64()), Attributes: attributes(r, 2)}
				for b := range 12 {
					p.ExplicitBounds = append(p.ExplicitBounds, float64(b)*0.25)
					p.BucketCounts = append(p.BucketCounts, r.Uint64N(1000))
				}
				h.DataPoints = append(h.DataPoints, p)
			}
			m.Data = &metricspb.Metric_Histogram{Histogram: h}
		} else {
			g := &metricspb.Sum{IsMonotonic: true}
			for range points {
				g.DataPoints = append(g.DataPoints, &metricspb.NumberDataPoint{StartTimeUnixNano: at, TimeUnixNano: at + 1e10, Attributes: attributes(r, 3), Value: &metricspb.NumberDataPoint_AsInt{AsInt: int64(r.IntN(1e9))}})
			}
			m.Data = &metricspb.Metric_Sum{Sum: g}
		}
		s.Metrics = append(s.Metrics, m)
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{Resource: resource(), ScopeMetrics: []*metricspb.ScopeMetrics{s}}}}
}

func descriptors() proto.Message {
	all := &descriptorpb.FileDescriptorSet{}
	for _, f := range []protoreflect.FileDescriptor{
		descriptorpb.File_google_protobuf_descriptor_proto, tracepb.File_opentelemetry_proto_trace_v1_trace_proto,
		metricspb.File_opentelemetry_proto_metrics_v1_metrics_proto, logspb.File_opentelemetry_proto_logs_v1_logs_proto,
	} {
		all.File = append(all.File, protodesc.ToFileDescriptorProto(f))
	}
	return all
}

// tree returns nested lists with 2 to the power of depth leaves.
func tree(depth int) proto.Message {
	var node func(int) *commonpb.AnyValue
	node = func(d int) *commonpb.AnyValue {
		if d == 0 {
			return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "a leaf of the tree"}}
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{node(d - 1), node(d - 1)}}}}
	}
	return node(depth)
}

// containers returns containers with labels and annotations, like those of Kubernetes.
func containers(n int) proto.Message {
	r := rand.New(rand.NewPCG(5, 5))
	all := &openpb.Maps{Sm: map[string]*openpb.Maps{}}
	for i := range n {
		name := fmt.Sprintf("%x", id(r, 32))
		all.Sm[name] = &openpb.Maps{
			Ss: map[string]string{
				"io.kubernetes.container.name": "sidecar", "io.kubernetes.pod.name": fmt.Sprintf("checkout-%d", i), "io.kubernetes.pod.namespace": "production", "io.kubernetes.pod.uid": name[:36],
			},
			Sb: map[string][]byte{"hash": id(r, 16), "spec": id(r, 64)},
			Si: map[string]int64{"restartCount": int64(i % 5), "createdAt": 1700000000000000000 + int64(i)},
		}
	}
	return all
}

// entries returns entries of a replicated log.
func entries(n int) proto.Message {
	r := rand.New(rand.NewPCG(6, 6))
	all := &openpb.Lists{}
	for i := range n {
		all.Many = append(all.Many, &openpb.Scalars{U64: uint64(7000 + i), I64: 12, E: openpb.Color_RED, By: id(r, 128+r.IntN(256))})
	}
	return all
}

func anyStruct(n int) proto.Message {
	r := rand.New(rand.NewPCG(4, 4))
	var object func(int) map[string]any
	object = func(d int) map[string]any {
		m := map[string]any{}
		for i := range 6 {
			switch {
			case i < 2 && d > 0:
				m[fmt.Sprint("object", i)] = object(d - 1)
			case i == 2:
				m["count"] = float64(r.IntN(1000))
			case i == 3:
				m["list"] = []any{"one", "two", true, nil}
			default:
				m[fmt.Sprint("field", i)] = "a value of some length"
			}
		}
		return m
	}
	s, err := structpb.NewStruct(object(n))
	if err != nil {
		panic(err)
	}
	return s
}
