// Package others decodes messages of other projects: Envoy, OpenTelemetry, Prometheus, Google APIs.
package others

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/adapters/protobuf/internal/oracle"
	"github.com/ebbpool/arena/internal/machine"

	_ "github.com/envoyproxy/go-control-plane/envoy/config/bootstrap/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/data/accesslog/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/network/http_connection_manager/v3"
	_ "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	_ "github.com/prometheus/client_model/go"
	_ "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	_ "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	_ "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	_ "google.golang.org/genproto/googleapis/rpc/errdetails"
)

// Random and malformed documents of every linked message type are decoded like by package proto, and none of
// these types is left to it.
func TestOthers(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 2
	}
	n := 0
	a := arena.NewArena(16<<10, 0)
	protoregistry.GlobalTypes.RangeMessages(func(mt protoreflect.MessageType) bool {
		m := mt.Zero().Interface()
		if _, ok := m.(*dynamicpb.Message); ok {
			return true
		}
		n++
		r := rand.New(rand.NewPCG(1, 2))
		for range rounds {
			before, doc := oracle.Document(t, r, m), oracle.Document(t, r, m)
			for _, d := range [][]byte{doc, slices.Concat(before, doc), oracle.Mutate(r, doc), oracle.Mutate(r, doc)} {
				if err := oracle.Differ(a, m, d, before); err != nil {
					t.Errorf("%s: %v\nof %x", oracle.NameOf(m), err, d)
					return true
				}
			}
			a.Reset()
		}
		c := oracle.Random(r)
		for range 10 * rounds { // and documents that no Marshal produces
			o, doc, before := oracle.Options(c), oracle.Wire(c, mt.Descriptor()), oracle.Wire(c, mt.Descriptor())
			for _, a := range []*arena.Arena{a, nil} {
				if err := oracle.DifferBy(o, a, m, doc, before); err != nil {
					t.Errorf("%s: %v\nof %x", oracle.NameOf(m), err, doc)
					return true
				}
			}
			a.Reset()
		}
		return true
	})
	t.Logf("%d types", n)
	if n < 300 {
		t.Errorf("only %d types are linked in", n)
	}
	if !machine.LayoutOK {
		return
	}
	for _, f := range arenapb.Fallbacks() {
		if !strings.HasPrefix(f.Message, "google.protobuf.") {
			t.Errorf("%s: package proto reads it: %s", f.Message, f.Why)
		}
	}
}
