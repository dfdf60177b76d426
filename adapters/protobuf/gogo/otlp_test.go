package gogo

import (
	"fmt"
	"reflect"

	"github.com/gogo/protobuf/proto"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// collectorMessage returns the Collector's own struct for a request, which its modules hide in internal packages.
func collectorMessage(request interface{ MarshalProto() ([]byte, error) }) proto.Message {
	field, _ := reflect.TypeOf(request).FieldByName("orig")
	m := reflect.New(field.Type.Elem()).Interface().(proto.Message)
	doc, err := request.MarshalProto()
	if err == nil {
		err = proto.Unmarshal(doc, m)
	}
	if err != nil {
		panic(err)
	}
	return m
}

func attributes(m pcommon.Map, n int) {
	m.PutStr("http.request.method", "GET")
	m.PutStr("url.path", fmt.Sprint("/orders/", n))
	m.PutInt("http.response.status_code", 200)
	m.PutStr("client.address", "10.0.0.17")
	m.PutBool("cached", n%2 == 0)
}

func resource(r pcommon.Resource) {
	r.Attributes().PutStr("service.name", "shop")
	r.Attributes().PutStr("service.instance.id", "627cc493-f310-47de-96bd-71410b7dec09")
	r.Attributes().PutStr("k8s.pod.name", "shop-6d4cf56db6-xkz7q")
}

func collectorTraces() proto.Message {
	all := ptrace.NewTraces()
	of := all.ResourceSpans().AppendEmpty()
	resource(of.Resource())
	scope := of.ScopeSpans().AppendEmpty()
	scope.Scope().SetName("shop/http")
	for i := range 100 {
		s := scope.Spans().AppendEmpty()
		s.SetName("GET /orders/{id}")
		s.SetTraceID(pcommon.TraceID{1, 2, 3, byte(i)})
		s.SetSpanID(pcommon.SpanID{4, 5, byte(i)})
		s.SetParentSpanID(pcommon.SpanID{6, byte(i)})
		s.SetKind(ptrace.SpanKindServer)
		s.SetStartTimestamp(pcommon.Timestamp(1_700_000_000_000_000_000 + i))
		s.SetEndTimestamp(pcommon.Timestamp(1_700_000_000_010_000_000 + i))
		attributes(s.Attributes(), i)
		e := s.Events().AppendEmpty()
		e.SetName("cache miss")
		e.SetTimestamp(pcommon.Timestamp(1_700_000_000_005_000_000))
	}
	return collectorMessage(ptraceotlp.NewExportRequestFromTraces(all))
}

func collectorLogs() proto.Message {
	all := plog.NewLogs()
	of := all.ResourceLogs().AppendEmpty()
	resource(of.Resource())
	scope := of.ScopeLogs().AppendEmpty()
	for i := range 100 {
		l := scope.LogRecords().AppendEmpty()
		l.SetTimestamp(pcommon.Timestamp(1_700_000_000_000_000_000 + i))
		l.SetSeverityNumber(plog.SeverityNumberInfo)
		l.SetSeverityText("INFO")
		l.Body().SetStr(fmt.Sprintf("order %d was accepted and handed to the warehouse", i))
		l.SetTraceID(pcommon.TraceID{1, 2, 3, byte(i)})
		l.SetSpanID(pcommon.SpanID{4, 5, byte(i)})
		attributes(l.Attributes(), i)
	}
	return collectorMessage(plogotlp.NewExportRequestFromLogs(all))
}

func collectorMetrics() proto.Message {
	all := pmetric.NewMetrics()
	of := all.ResourceMetrics().AppendEmpty()
	resource(of.Resource())
	scope := of.ScopeMetrics().AppendEmpty()
	for i := range 30 {
		m := scope.Metrics().AppendEmpty()
		m.SetName(fmt.Sprint("http.server.request.duration.", i))
		m.SetUnit("s")
		if i%2 == 0 {
			for j := range 4 {
				p := m.SetEmptySum().DataPoints().AppendEmpty()
				p.SetIntValue(int64(j * 1000))
				attributes(p.Attributes(), j)
			}
			continue
		}
		p := m.SetEmptyHistogram().DataPoints().AppendEmpty()
		p.SetCount(100)
		p.SetSum(12.5)
		p.BucketCounts().FromRaw([]uint64{1, 2, 3, 4, 30, 60})
		p.ExplicitBounds().FromRaw([]float64{0.1, 0.2, 0.5, 1, 2})
		attributes(p.Attributes(), i)
	}
	return collectorMessage(pmetricotlp.NewExportRequestFromMetrics(all))
}
