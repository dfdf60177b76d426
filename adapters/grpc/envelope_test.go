package arenagrpc

import (
	"testing"

	"google.golang.org/grpc/mem"
)

// The buffer of a reply is gRPC's once it was sent: a second one would send what it
// holds by then.
func TestEnvelopeOpensOnce(t *testing.T) {
	e := &envelope{data: mem.BufferSlice{mem.SliceBuffer("x")}}
	if data, err := Codec().Marshal(e); err != nil || string(data.Materialize()) != "x" {
		t.Errorf("%q (%v)", data.Materialize(), err)
	}
	if data, err := Codec().Marshal(e); err == nil || data != nil {
		t.Errorf("sent a second time: %q (%v)", data.Materialize(), err)
	}
}
