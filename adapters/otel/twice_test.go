package arenaotel

import (
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
	"go.opentelemetry.io/otel/metric/noop"
	sdk "go.opentelemetry.io/otel/sdk/metric"
)

// Observing a second pool with the same name, or the same pool again, is refused, because the SDK would
// export the sum.
func TestObserveTwice(t *testing.T) {
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	pool, other := arena.NewAutoPool(0), arena.NewAutoPool(0)
	for range 100 {
		pool.Put(pool.Get())
	}
	first, err := Observe(provider.Meter("test"), pool, "requests")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*arena.ArenaPool{pool, other} {
		if r, err := Observe(provider.Meter("test"), p, "requests"); r != nil || err == nil || !strings.Contains(err.Error(), `"requests"`) {
			t.Error(r, err)
		}
	}
	if got := collected(t, reader)["ebbpool_gets_total{pool=requests}"]; got != 100 {
		t.Errorf("%d gets, want 100", got)
	}
	for _, name := range []string{"Requests", "other"} {
		if _, err := Observe(provider.Meter("test"), other, name); err != nil {
			t.Error(err)
		}
	}
	if r, err := Observe(provider.Meter("another"), pool, "requests"); err != nil || r.Unregister() != nil {
		t.Error(err)
	}
	fixed := fixedpool.NewSync[int](4)
	if _, err := ObserveFixed(provider.Meter("test"), fixed, "requests"); err != nil { // uses other instruments
		t.Error(err)
	}
	if _, err := ObserveFixed(provider.Meter("test"), fixed, "requests"); err == nil {
		t.Error("a fixed pool is observed twice")
	}
	if err := first.Unregister(); err != nil {
		t.Fatal(err)
	}
	again, err := Observe(provider.Meter("test"), other, "requests")
	if err != nil {
		t.Fatal(err)
	}
	first.Unregister() // a second time, which must not affect the other
	if _, err := Observe(provider.Meter("test"), pool, "requests"); err == nil {
		t.Error("Unregister of another registration forgot the name")
	}
	if got := collected(t, reader)["ebbpool_gets_total{pool=requests}"]; got != 0 {
		t.Errorf("%d gets of the other pool, want 0", got)
	}
	again.Unregister()
	for range 2 { // as in programs without an SDK
		if _, err := Observe(noop.Meter{}, pool, "requests"); err != nil {
			t.Error(err)
		}
	}
}
