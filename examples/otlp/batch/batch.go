// Package batch generates requests as OpenTelemetry's SDKs send them. They are always the same.
package batch

import (
	"encoding/binary"
	"fmt"

	logsrpc "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricsrpc "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracerpc "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
)

const start = 1_700_000_000_000_000_000 // ns, the time of all events

func text(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func number(key string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

func sender(service string) *resource.Resource {
	return &resource.Resource{Attributes: []*common.KeyValue{
		text("service.name", service),
		text("service.version", "1.14.2"),
		text("host.name", "node-17.eu-west"),
		text("telemetry.sdk.language", "go"),
		text("process.executable.path", "/usr/local/lib/orders/1.14.2/order-server"),
	}}
}

func id(n, size int) []byte {
	b := make([]byte, size)
	binary.BigEndian.PutUint64(b[size-8:], uint64(n)*0x9E3779B97F4A7C15+1)
	return b
}

// Traces returns a request of n spans: 457 bytes for 1, 90 KB for 375.
func Traces(service string, n int) *tracerpc.ExportTraceServiceRequest {
	spans := make([]*trace.Span, n)
	for i := range spans {
		spans[i] = &trace.Span{
			TraceId:           id(i/8, 16),
			SpanId:            id(i, 8),
			ParentSpanId:      id(i-1, 8),
			Name:              fmt.Sprintf("GET /orders/{id}/lines/%d", i%7),
			Kind:              trace.Span_SPAN_KIND_SERVER,
			StartTimeUnixNano: start + uint64(i)*1000,
			EndTimeUnixNano:   start + uint64(i)*1000 + 250_000,
			Attributes: []*common.KeyValue{
				text("http.request.method", "GET"),
				text("url.path", fmt.Sprintf("/orders/%d", 1000+i)),
				number("http.response.status_code", 200),
				text("user_agent.original", "curl/8.5"),
			},
			Events: []*trace.Span_Event{{TimeUnixNano: start + uint64(i)*1000 + 90_000, Name: "cache miss"}},
		}
		if i%50 == 49 {
			spans[i].Status = &trace.Status{Code: trace.Status_STATUS_CODE_ERROR, Message: "upstream timed out"}
		}
	}
	return &tracerpc.ExportTraceServiceRequest{ResourceSpans: []*trace.ResourceSpans{{
		Resource:   sender(service),
		ScopeSpans: []*trace.ScopeSpans{{Scope: &common.InstrumentationScope{Name: "net/http", Version: "0.61.0"}, Spans: spans}},
	}}}
}

// Logs returns a request of n records.
func Logs(service string, n int) *logsrpc.ExportLogsServiceRequest {
	records := make([]*logs.LogRecord, n)
	for i := range records {
		severity := logs.SeverityNumber_SEVERITY_NUMBER_INFO
		if i%20 == 19 {
			severity = logs.SeverityNumber_SEVERITY_NUMBER_ERROR
		}
		records[i] = &logs.LogRecord{
			TimeUnixNano:   start + uint64(i),
			SeverityNumber: severity,
			SeverityText:   severity.String(),
			Body:           &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: fmt.Sprintf("order %d was taken in %d ms", 1000+i, i%90)}},
			Attributes:     []*common.KeyValue{text("logger", "orders"), number("customer", int64(i%1000))},
			TraceId:        id(i/8, 16),
			SpanId:         id(i, 8),
		}
	}
	return &logsrpc.ExportLogsServiceRequest{ResourceLogs: []*logs.ResourceLogs{{
		Resource: sender(service), ScopeLogs: []*logs.ScopeLogs{{LogRecords: records}},
	}}}
}

// Metrics returns a request of n metrics with two points each.
func Metrics(service string, n int) *metricsrpc.ExportMetricsServiceRequest {
	all := make([]*metrics.Metric, n)
	for i := range all {
		name := fmt.Sprintf("orders.stage.%d.duration", i)
		attributes := []*common.KeyValue{text("stage", fmt.Sprint(i)), text("zone", "eu-west")}
		switch i % 3 {
		case 0:
			points := []*metrics.NumberDataPoint{
				{TimeUnixNano: start, Attributes: attributes, Value: &metrics.NumberDataPoint_AsInt{AsInt: int64(i)}},
				{TimeUnixNano: start, Attributes: attributes, Value: &metrics.NumberDataPoint_AsDouble{AsDouble: float64(i) / 3}},
			}
			all[i] = &metrics.Metric{Name: name, Unit: "ms", Data: &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: points}}}
		case 1:
			points := []*metrics.NumberDataPoint{
				{TimeUnixNano: start, Attributes: attributes, Value: &metrics.NumberDataPoint_AsInt{AsInt: int64(i)}},
				{TimeUnixNano: start, Attributes: attributes, Value: &metrics.NumberDataPoint_AsInt{AsInt: int64(i) * 2}},
			}
			all[i] = &metrics.Metric{Name: name, Unit: "1", Data: &metrics.Metric_Sum{Sum: &metrics.Sum{
				DataPoints: points, IsMonotonic: true, AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
			}}}
		default:
			sum := float64(i)
			point := &metrics.HistogramDataPoint{
				TimeUnixNano: start, Attributes: attributes, Count: 10, Sum: &sum,
				BucketCounts: []uint64{1, 2, 3, 4, 0}, ExplicitBounds: []float64{1, 10, 100, 1000},
			}
			all[i] = &metrics.Metric{Name: name, Unit: "ms", Data: &metrics.Metric_Histogram{Histogram: &metrics.Histogram{
				DataPoints: []*metrics.HistogramDataPoint{point, point},
			}}}
		}
	}
	return &metricsrpc.ExportMetricsServiceRequest{ResourceMetrics: []*metrics.ResourceMetrics{{
		Resource: sender(service), ScopeMetrics: []*metrics.ScopeMetrics{{Metrics: all}},
	}}}
}
