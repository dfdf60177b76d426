package arenagrpc

import (
	"testing"

	"google.golang.org/grpc/mem"
)

// After a reply was sent its buffer belongs to gRPC. Sending it twice would send other content.
func TestEnvelopeOpensOnce(t *testing.T) {
	e := &envelope{data: mem.BufferSlice{mem.SliceBuffer("x")}}
	if data, err := Codec().Marshal(e); err != nil || string(data.Materialize()) != "x" {
		t.Errorf("%q (%v)", data.Materialize(), err)
	}
	if data, err := Codec().Marshal(e); err == nil || data != nil {
		t.Errorf("sent a second time: %q (%v)", data.Materialize(), err)
	}
}
