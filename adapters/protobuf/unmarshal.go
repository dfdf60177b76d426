package arenapb

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/ebbpool/arena"
)

// Unmarshal reads data, one message in protobuf's wire format, into m, as
// proto.Unmarshal does, with all that it makes in a, or on the heap if a is nil. m
// itself may lie anywhere; what it had before is dropped.
//
// It is UnmarshalOptions{}.Unmarshal.
func Unmarshal(a *arena.Arena, data []byte, m proto.Message) error {
	return UnmarshalOptions{}.Unmarshal(a, data, m)
}

// UnmarshalOptions are those of package proto, with the same meaning.
type UnmarshalOptions struct {
	// Merge keeps what the message has, and adds what is read to it.
	Merge bool

	// AllowPartial accepts messages whose required fields are not all set.
	AllowPartial bool

	// DiscardUnknown drops fields that the message's type does not have.
	DiscardUnknown bool

	// Resolver finds extensions. nil is protoregistry.GlobalTypes.
	Resolver interface {
		FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error)
		FindExtensionByNumber(message protoreflect.FullName, field protoreflect.FieldNumber) (protoreflect.ExtensionType, error)
	}

	// RecursionLimit is how deep messages may be nested, the outermost one counted.
	// 0 is protowire.DefaultRecursionLimit, 10,000.
	RecursionLimit int
}

// Unmarshal reads data into m as Unmarshal does, with options.
func (o UnmarshalOptions) Unmarshal(a *arena.Arena, data []byte, m proto.Message) error {
	return o.plain().Unmarshal(data, m)
}

// plain is what does the same without an arena.
func (o UnmarshalOptions) plain() proto.UnmarshalOptions {
	p := proto.UnmarshalOptions{
		Merge:          o.Merge,
		AllowPartial:   o.AllowPartial,
		DiscardUnknown: o.DiscardUnknown,
		RecursionLimit: o.RecursionLimit,
	}
	p.Resolver = protoregistry.GlobalTypes
	if o.Resolver != nil {
		p.Resolver = o.Resolver
	}
	return p
}
