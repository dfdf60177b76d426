//go:build vt

package bench

import (
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	commonvt "github.com/ebbpool/arena/adapters/protobuf/bench/vt/common"
	logsvt "github.com/ebbpool/arena/adapters/protobuf/bench/vt/logs"
	metricsvt "github.com/ebbpool/arena/adapters/protobuf/bench/vt/metrics"
	openvt "github.com/ebbpool/arena/adapters/protobuf/bench/vt/open"
	tracevt "github.com/ebbpool/arena/adapters/protobuf/bench/vt/trace"
	"github.com/ebbpool/arena/adapters/protobuf/internal/testpb/openpb"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

type vtMessage interface {
	proto.Message
	UnmarshalVTUnsafe([]byte) error
	ReturnToVTPool()
}

// pooled is vtprotobuf at its best: messages from its pools, and strings that alias the buffer.
func pooled(d document, body func() []byte) (subject, bool) {
	var take func() vtMessage
	switch d.kind.(type) {
	case *tracepb.TracesData:
		take = func() vtMessage { return tracevt.TracesDataFromVTPool() }
	case *logspb.LogsData:
		take = func() vtMessage { return logsvt.LogsDataFromVTPool() }
	case *metricspb.MetricsData:
		take = func() vtMessage { return metricsvt.MetricsDataFromVTPool() }
	case *openpb.Maps:
		take = func() vtMessage { return openvt.MapsFromVTPool() }
	case *openpb.Lists:
		take = func() vtMessage { return openvt.ListsFromVTPool() }
	case *commonpb.AnyValue:
		take = func() vtMessage { return commonvt.AnyValueFromVTPool() }
	default:
		return subject{}, false
	}
	var m vtMessage
	return subject{"vtprotobuf", func() proto.Message {
		m = take()
		must(m.UnmarshalVTUnsafe(body()))
		return m
	}, func() { m.ReturnToVTPool() }}, true
}
