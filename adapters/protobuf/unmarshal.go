package arenapb

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoiface"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
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

	// NoLazyDecoding decodes at once what is marked [lazy = true], in messages of the
	// opaque API. Package proto reads these, with this or without.
	NoLazyDecoding bool

	// AliasBuffer has strings, bytes and unknown fields share data's memory, of which they
	// are copies otherwise, where data is what was read into a last, as by arena.ReadAll: all
	// of a slice, without capacity behind it, and nothing was allocated in a since. Then nobody
	// must write to data until the arena's epoch ends; who writes to bytes of the message
	// writes to data. It takes 16 bytes of a.
	//
	// All else is copied: a part of a slice, what lies elsewhere, what is so large that it has
	// a chunk of a to itself, and what package proto reads.
	AliasBuffer bool
}

// Unmarshal reads data into m as Unmarshal does, with options.
func (o UnmarshalOptions) Unmarshal(a *arena.Arena, data []byte, m proto.Message) error {
	t := reflect.TypeOf(m)
	if a == nil || t == nil {
		return o.plain().Unmarshal(data, m)
	}
	p := programOf(t)
	if p.why != "" {
		p.fallbacks.Add(1)
		return o.plain().Unmarshal(data, m)
	}
	to := xunsafe.WordsOf(&m).Data
	if to == nil {
		return o.plain().Unmarshal(data, m) // which panics
	}
	if !o.Merge {
		proto.Reset(m)
	}
	found, err := o.read(a, p, to, data)
	if err != nil || found == nothing || o.AllowPartial {
		return err
	}
	if err = proto.CheckInitialized(m); err != nil && found == doubt && o.wholeFor(m, data) {
		return nil // only what package proto does not count when it reads data
	}
	return err
}

// wholeFor reports whether package proto finds nothing lacking when it reads data as a
// message of m's type, which it does here, on the heap. That is asked of messages that lack
// something.
func (o UnmarshalOptions) wholeFor(m proto.Message, data []byte) bool {
	p := o.plain()
	p.AllowPartial = true
	to := m.ProtoReflect().New()
	if o.Merge && p.Resolver != protoregistry.GlobalTypes {
		to = proto.Clone(m).ProtoReflect() // the extensions that a message has are known without the Resolver
	}
	out, err := p.UnmarshalState(protoiface.UnmarshalInput{Message: to, Buf: data})
	return err == nil && out.Flags&protoiface.UnmarshalInitialized != 0
}

// lacking tells which required fields of a message were missing when it was read.
type lacking uint8

const (
	nothing lacking = iota
	some            // package proto finds it, too
	doubt           // package proto may not find it
)

// read adds what data says to the message of p at to.
func (o *UnmarshalOptions) read(a *arena.Arena, p *program, to xunsafe.Pointer, data []byte) (found lacking, err error) {
	d := decoder{a: a, n: len(data), options: *o, discard: o.DiscardUnknown, depth: o.RecursionLimit}
	if d.depth == 0 {
		d.depth = protowire.DefaultRecursionLimit
	}
	d.r = machine.Enter(a, "arenapb.Unmarshal")
	defer d.r.Leave()
	defer func() {
		switch x := recover().(type) {
		case nil:
		case trouble:
			err = x.error
		case *arena.LimitError:
			err = fmt.Errorf("arenapb: a message of %d bytes: %w", len(data), x)
		default:
			panic(x)
		}
	}()
	var b []byte
	if o.AliasBuffer {
		b = machine.StretchBytes(d.r, data, docSlack)
	}
	if b == nil {
		b = machine.ReserveText(d.r, len(data)+docSlack, docAlign)
		copy(b, data)
	}
	clear(b[len(data):])
	d.base = xunsafe.DataOf(b)
	d.message(p, to, 0, len(data), 0)
	switch {
	case d.doubt:
		return doubt, nil
	case d.partial:
		return some, nil
	}
	return nothing, nil
}

// plain returns what does the same without an arena.
func (o UnmarshalOptions) plain() proto.UnmarshalOptions {
	p := proto.UnmarshalOptions{
		Merge:          o.Merge,
		AllowPartial:   o.AllowPartial,
		DiscardUnknown: o.DiscardUnknown,
		RecursionLimit: o.RecursionLimit,
		NoLazyDecoding: o.NoLazyDecoding,
	}
	p.Resolver = protoregistry.GlobalTypes
	if o.Resolver != nil {
		p.Resolver = o.Resolver
	}
	return p
}
