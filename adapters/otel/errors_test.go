package arenaotel

import (
	"errors"
	"testing"

	"github.com/ebbpool/arena"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// brokenMeter fails with its errors.
type brokenMeter struct {
	noop.Meter
	gauges, callbacks error
}

func (m *brokenMeter) Int64ObservableGauge(name string, o ...metric.Int64ObservableGaugeOption) (metric.Int64ObservableGauge, error) {
	i, _ := m.Meter.Int64ObservableGauge(name, o...)
	return i, m.gauges
}

func (m *brokenMeter) RegisterCallback(f metric.Callback, i ...metric.Observable) (metric.Registration, error) {
	r, _ := m.Meter.RegisterCallback(f, i...)
	return r, m.callbacks
}

// Errors of the meter are returned, and the name is free afterwards.
func TestErrorsOfMeter(t *testing.T) {
	pool, failed := arena.NewAutoPool(0), errors.New("failed")
	m := &brokenMeter{gauges: failed}
	for range 2 {
		if r, err := Observe(m, pool, "requests"); !errors.Is(err, failed) || r != nil {
			t.Error(r, err)
		}
	}
	m.gauges, m.callbacks = nil, failed
	for range 2 {
		if r, err := Observe(m, pool, "requests"); !errors.Is(err, failed) || r != nil {
			t.Error(r, err)
		}
	}
	m.callbacks = nil
	r, err := Observe(m, pool, "requests")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Observe(m, pool, "requests"); err == nil {
		t.Error("the name was observed twice")
	}
	r.Unregister()
}

// Meters that can't be compared are not checked for names.
func TestMeterWithoutComparison(t *testing.T) {
	type meter struct {
		noop.Meter
		_ []int
	}
	for range 2 {
		if _, err := Observe(meter{}, arena.NewAutoPool(0), "requests"); err != nil {
			t.Error(err)
		}
	}
}
