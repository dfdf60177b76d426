// Package receiver receives traces, logs and metrics of OpenTelemetry over gRPC, and counts how much each
// service sends and how much of it is errors. Only Server, and the code that keeps a name, deal with arenas.
package receiver

import (
	"context"

	logsrpc "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metricsrpc "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	tracerpc "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"

	"github.com/ebbpool/arena"
)

// Receiver implements all three services, for any number of concurrent calls.
type Receiver struct{ totals totals }

// New returns an empty Receiver.
func New() *Receiver { return new(Receiver) }

// Register registers the three services with s.
func (r *Receiver) Register(s grpc.ServiceRegistrar) {
	tracerpc.RegisterTraceServiceServer(s, tracing{receiver: r})
	logsrpc.RegisterLogsServiceServer(s, logging{receiver: r})
	metricsrpc.RegisterMetricsServiceServer(s, metering{receiver: r})
}

type tracing struct {
	tracerpc.UnimplementedTraceServiceServer
	receiver *Receiver
}

type logging struct {
	logsrpc.UnimplementedLogsServiceServer
	receiver *Receiver
}

type metering struct {
	metricsrpc.UnimplementedMetricsServiceServer
	receiver *Receiver
}

// Export counts spans. Spans without ids are rejected, as the specification requires.
func (s tracing) Export(ctx context.Context, r *tracerpc.ExportTraceServiceRequest) (*tracerpc.ExportTraceServiceResponse, error) {
	var rejected int64
	for _, of := range r.ResourceSpans {
		var sum Service
		for _, scope := range of.ScopeSpans {
			for _, span := range scope.Spans {
				if len(span.TraceId) != 16 || len(span.SpanId) != 8 || span.EndTimeUnixNano < span.StartTimeUnixNano {
					rejected++
					continue
				}
				sum.Spans++
				sum.SpanNanos += span.EndTimeUnixNano - span.StartTimeUnixNano
				if span.Status.GetCode() == trace.Status_STATUS_CODE_ERROR {
					sum.FailedSpans++
				}
			}
		}
		s.receiver.totals.add(serviceName(of.Resource), sum)
	}
	a := arena.FromContext(ctx) // nil, and so the heap, in a plain server
	reply := arena.New[tracerpc.ExportTraceServiceResponse](a)
	if rejected > 0 {
		reply.PartialSuccess = arena.New[tracerpc.ExportTracePartialSuccess](a)
		reply.PartialSuccess.RejectedSpans = rejected
		reply.PartialSuccess.ErrorMessage = a.Sprintf("%d spans without ids, or that end before they begin", rejected)
	}
	return reply, nil
}

// Export counts records by severity.
func (s logging) Export(ctx context.Context, r *logsrpc.ExportLogsServiceRequest) (*logsrpc.ExportLogsServiceResponse, error) {
	for _, of := range r.ResourceLogs {
		var sum Service
		for _, scope := range of.ScopeLogs {
			for _, record := range scope.LogRecords {
				sum.Logs++
				if record.SeverityNumber >= logs.SeverityNumber_SEVERITY_NUMBER_ERROR {
					sum.ErrorLogs++
				}
				sum.LogBytes += uint64(len(record.Body.GetStringValue()))
			}
		}
		s.receiver.totals.add(serviceName(of.Resource), sum)
	}
	return arena.New[logsrpc.ExportLogsServiceResponse](arena.FromContext(ctx)), nil
}

// Export counts data points and the measurements in histograms.
func (s metering) Export(ctx context.Context, r *metricsrpc.ExportMetricsServiceRequest) (*metricsrpc.ExportMetricsServiceResponse, error) {
	for _, of := range r.ResourceMetrics {
		var sum Service
		for _, scope := range of.ScopeMetrics {
			for _, metric := range scope.Metrics {
				switch data := metric.Data.(type) {
				case *metrics.Metric_Gauge:
					sum.Points += uint64(len(data.Gauge.DataPoints))
				case *metrics.Metric_Sum:
					sum.Points += uint64(len(data.Sum.DataPoints))
				case *metrics.Metric_Histogram:
					sum.Points += uint64(len(data.Histogram.DataPoints))
					for _, point := range data.Histogram.DataPoints {
						sum.Measured += point.Count
					}
				}
			}
		}
		s.receiver.totals.add(serviceName(of.Resource), sum)
	}
	return arena.New[metricsrpc.ExportMetricsServiceResponse](arena.FromContext(ctx)), nil
}

// serviceName returns the name of the service, in memory of the request.
func serviceName(r *resource.Resource) string {
	for _, attribute := range r.GetAttributes() {
		if attribute.Key == "service.name" {
			return attribute.Value.GetStringValue()
		}
	}
	return "unknown_service"
}
