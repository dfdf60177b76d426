package gogo

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/gogo/protobuf/proto"
	"github.com/grafana/loki/pkg/push"
	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/raft/v3/raftpb"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// services are messages of services that use gogo's code, as these send them.
var services = map[string]func() proto.Message{
	"remote write": func() proto.Message {
		m := &prompb.WriteRequest{}
		for i := range 300 {
			m.Timeseries = append(m.Timeseries, prompb.TimeSeries{
				Labels: []prompb.Label{{Name: "__name__", Value: "http_requests_total"}, {Name: "instance", Value: fmt.Sprintf("10.0.%d.%d:9090", i/256, i%256)},
					{Name: "job", Value: "api-server"}, {Name: "method", Value: "GET"}, {Name: "status", Value: "200"}, {Name: "zone", Value: "eu-west-1a"}},
				Samples: []prompb.Sample{{Value: float64(i) * 1.5, Timestamp: 1_700_000_000_000 + int64(i)}},
			})
		}
		return m
	},
	"remote write 2": func() proto.Message {
		m := &writev2.Request{Symbols: []string{"", "__name__", "http_requests_total", "job", "api-server", "method", "GET", "status", "200", "zone", "eu-west-1a", "instance"}}
		for i := range 300 {
			m.Symbols = append(m.Symbols, fmt.Sprintf("10.0.%d.%d:9090", i/256, i%256))
			m.Timeseries = append(m.Timeseries, writev2.TimeSeries{
				LabelsRefs: []uint32{1, 2, 11, uint32(len(m.Symbols) - 1), 3, 4, 5, 6, 7, 8, 9, 10},
				Samples:    []writev2.Sample{{Value: float64(i) * 1.5, Timestamp: 1_700_000_000_000 + int64(i)}},
				Metadata:   writev2.Metadata{Type: writev2.Metadata_METRIC_TYPE_COUNTER},
			})
		}
		return m
	},
	"OTLP traces": collectorTraces, "OTLP logs": collectorLogs, "OTLP metrics": collectorMetrics,
	"Loki push": func() proto.Message {
		m := &push.PushRequest{}
		for i := range 20 {
			s := push.Stream{Labels: fmt.Sprintf(`{app="shop", pod="shop-%d", namespace="prod"}`, i)}
			for j := range 20 {
				s.Entries = append(s.Entries, push.Entry{Timestamp: time.Unix(1_700_000_000, int64(j)).UTC(), Line: strings.Repeat("level=info msg=hello ", 4) + fmt.Sprint(j)})
			}
			m.Streams = append(m.Streams, s)
		}
		return m
	},
	"etcd key-value": func() proto.Message {
		return &mvccpb.KeyValue{Key: []byte("/registry/pods/default/shop-1"), Value: make([]byte, 1000), CreateRevision: 12345678, ModRevision: 12345679, Version: 3, Lease: 77}
	},
	"Raft entries": func() proto.Message {
		m := &raftpb.Message{Type: raftpb.MsgApp, To: 1, From: 2, Term: 7, LogTerm: 7, Index: 1 << 20, Commit: 1 << 20}
		for i := range 50 {
			m.Entries = append(m.Entries, raftpb.Entry{Term: 7, Index: 1<<20 + uint64(i), Data: make([]byte, 100)})
		}
		return m
	},
	"CRI list": func() proto.Message {
		m := &cri.ListContainersResponse{}
		for i := range 50 {
			m.Containers = append(m.Containers, &cri.Container{
				Id: fmt.Sprintf("%064d", i), PodSandboxId: fmt.Sprintf("%064d", i+1), Metadata: &cri.ContainerMetadata{Name: "shop", Attempt: 1},
				Image: &cri.ImageSpec{Image: "sha256:0123456789abcdef"}, ImageRef: "sha256:0123456789abcdef", State: cri.ContainerState_CONTAINER_RUNNING, CreatedAt: 1_700_000_000_000_000_000,
				Labels:      map[string]string{"io.kubernetes.container.name": "shop", "io.kubernetes.pod.name": fmt.Sprintf("shop-%d", i), "io.kubernetes.pod.namespace": "prod"},
				Annotations: map[string]string{"io.kubernetes.container.hash": "1a2b3c", "io.kubernetes.container.restartCount": "1"},
			})
		}
		return m
	},
}

func document(t testing.TB, m proto.Message) []byte {
	doc, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// The services' messages are read and written as gogo does, and their memory is not on the heap.
func TestServices(t *testing.T) {
	a := arena.NewArena(1<<20, 0)
	for name, make := range services {
		m := make()
		doc := document(t, m)
		if !compare(t, a, m, doc) {
			t.Errorf("%s was not compared", name)
		}
		typ := reflect.TypeOf(m).Elem()
		to := reflect.New(typ).Interface()
		decode := func() {
			a.Reset()
			if err := arenapb.UnmarshalStruct(a, doc, to); err != nil {
				t.Fatal(err)
			}
		}
		for range 300 { // until the arena knows what it needs
			decode()
		}
		n := testing.AllocsPerRun(20, decode)
		if n != 0 && name != "Loki push" { // whose streams are a custom type, with an Unmarshal method written by hand
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Random values of the services' types, with every field, are read and written as gogo does.
func TestRandomServices(t *testing.T) {
	rounds := 3_000
	if testing.Short() {
		rounds = 30
	}
	random := rand.New(rand.NewSource(3))
	a := arena.NewArena(1<<14, 0)
	for range rounds {
		for _, m := range []proto.Message{&prompb.WriteRequest{}, &prompb.ReadResponse{}, &push.PushRequest{}, &mvccpb.Event{}, &raftpb.Message{}, &raftpb.Snapshot{},
			&cri.ListContainersResponse{}, &cri.RunPodSandboxRequest{}, &cri.ContainerStatusResponse{}, &writev2.Request{},
			empty(collectorTraces()), empty(collectorLogs()), empty(collectorMetrics())} {
			fill(random, reflect.ValueOf(m).Elem(), 6)
			doc, err := proto.Marshal(m)
			if err != nil {
				continue
			}
			if !compare(t, a, m, doc) {
				t.Fatalf("%T was not compared", m)
			}
			a.Reset()
		}
	}
}

func empty(m proto.Message) proto.Message {
	return reflect.New(reflect.TypeOf(m).Elem()).Interface().(proto.Message)
}

// fill sets v to a random value, with messages at most depth deep.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	if r.Intn(4) == 0 {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(r.Int63() >> r.Intn(63) * int64(1-2*r.Intn(2)))
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> r.Intn(63))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.String:
		v.SetString(strings.Repeat("é\xff", r.Intn(40)))
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth-1)
		}
	case reflect.Slice:
		n := r.Intn(4)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			if e := v.Index(i); e.Kind() == reflect.Pointer {
				e.Set(reflect.New(e.Type().Elem())) // gogo writes no nil elements
				fill(r, e.Elem(), depth-1)
			} else {
				fill(r, e, depth-1)
			}
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			r.Read(v.Bytes())
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).SetUint(uint64(r.Intn(256)))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range r.Intn(4) {
			k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(r, k, 0)
			fill(r, e, depth-1)
			if e.Kind() != reflect.Pointer || !e.IsNil() {
				v.SetMapIndex(k, e)
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(r.Int63n(1<<33), r.Int63n(1e9)).UTC()))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !strings.HasPrefix(f.Name, "XXX_") {
				fill(r, v.Field(i), depth)
			}
		}
	}
}

// BenchmarkServices reports the time of gogo's generated Unmarshal and ours, by turns.
func BenchmarkServices(b *testing.B) {
	for name, make := range services {
		m := make()
		doc := document(b, m)
		typ := reflect.TypeOf(m).Elem()
		b.Run(name+"/gogo", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := reflect.New(typ).Interface().(interface{ Unmarshal([]byte) error }).Unmarshal(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/arena", func(b *testing.B) {
			a := arena.NewArena(1<<20, 0)
			to := reflect.New(typ).Interface()
			b.ReportAllocs()
			for b.Loop() {
				if err := arenapb.UnmarshalStruct(a, doc, to); err != nil {
					b.Fatal(err)
				}
				a.Reset()
			}
		})
	}
}
