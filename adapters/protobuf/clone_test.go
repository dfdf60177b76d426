package arenapb_test

import (
	"testing"
	"unsafe"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	arenapb "github.com/ebbpool/arena/adapters/protobuf"
)

// A clone shares no byte with the original, so it survives the reuse of the arena.
func TestCloneSharesNothing(t *testing.T) {
	text := []byte("key value")
	key, value := unsafe.String(&text[0], 3), unsafe.String(&text[4], 5)
	m := &structpb.Struct{Fields: map[string]*structpb.Value{
		key: structpb.NewStringValue(value),
		"l": structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue(value)}}),
	}}
	c := arenapb.Clone(m)
	copy(text, "XXXXXXXXX")
	want := &structpb.Struct{Fields: map[string]*structpb.Value{
		"key": structpb.NewStringValue("value"),
		"l":   structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{structpb.NewStringValue("value")}}),
	}}
	if !proto.Equal(c, want) {
		t.Fatalf("the clone changed with what it was made of: %v", c)
	}
	if c := arenapb.Clone((*structpb.Struct)(nil)); c != nil {
		t.Errorf("the clone of nil is %v", c)
	}
	if c := arenapb.Clone(proto.Message(nil)); c != nil {
		t.Errorf("the clone of no message is %v", c)
	}
}
