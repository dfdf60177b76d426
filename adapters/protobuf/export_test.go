package arenapb

import (
	"reflect"

	"google.golang.org/protobuf/proto"
)

// WrittenByProto says why package proto writes m's type; "" where it does not.
func WrittenByProto(m proto.Message) string { return programOf(reflect.TypeOf(m)).writerOf().why }
