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

// Unmarshal decodes data, one message in protobuf's wire format, into m, like proto.Unmarshal. Memory comes
// from a, or from the heap if a is nil. m may be anywhere; its old contents are dropped. If a limit of a is
// exceeded, it returns a *arena.LimitError. It is short for UnmarshalOptions{}.Unmarshal.
func Unmarshal(a *arena.Arena, data []byte, m proto.Message) error {
	return UnmarshalOptions{}.Unmarshal(a, data, m)
}

// UnmarshalOptions configures decoding. Options of package proto have the same meaning.
type UnmarshalOptions struct {
	// Merge merges data into the message instead of replacing its contents.
	Merge bool

	// AllowPartial accepts messages with missing required fields.
	AllowPartial bool

	// DiscardUnknown drops fields unknown to the message's type.
	DiscardUnknown bool

	// Resolver finds extensions. Nil means protoregistry.GlobalTypes.
	Resolver interface {
		FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error)
		FindExtensionByNumber(message protoreflect.FullName, field protoreflect.FieldNumber) (protoreflect.ExtensionType, error)
	}

	// RecursionLimit is the maximum nesting of messages, including the outermost one. 0 means
	// protowire.DefaultRecursionLimit, 10,000.
	RecursionLimit int

	// NoLazyDecoding decodes fields marked [lazy = true] immediately, in messages of the opaque API. Package
	// proto decodes such messages in any case.
	NoLazyDecoding bool

	// AliasBuffer lets strings, bytes and unknown fields refer to data instead of copies. It has an effect
	// only if data is the newest allocation in a, as after arena.ReadAll: a whole slice, without further
	// capacity, and nothing was allocated since. Then data must not be written until the cycle ends, and
	// writing to bytes of the message writes to data. It uses 16 bytes of a.
	//
	// Otherwise data is copied. Data with a chunk of its own because of its size, and the parts that package
	// proto decodes, are also copied.
	AliasBuffer bool
}

// Unmarshal is like [Unmarshal], with options.
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
		return o.plain().Unmarshal(data, m) // panics
	}
	if !o.Merge {
		proto.Reset(m)
	}
	found, err := o.read(a, p, to, data)
	if err != nil || found == nothing || o.AllowPartial {
		return err
	}
	if err = proto.CheckInitialized(m); err != nil && found == doubt && o.wholeFor(m, data) {
		return nil // package proto does not report these missing fields
	}
	return err
}

// wholeFor reports whether package proto finds no missing required field in data. It decodes data again, on
// the heap, but only for messages that lack something.
func (o UnmarshalOptions) wholeFor(m proto.Message, data []byte) bool {
	p := o.plain()
	p.AllowPartial = true
	to := m.ProtoReflect().New()
	if o.Merge && p.Resolver != protoregistry.GlobalTypes {
		to = proto.Clone(m).ProtoReflect() // existing extensions are known without the Resolver
	}
	out, err := p.UnmarshalState(protoiface.UnmarshalInput{Message: to, Buf: data})
	return err == nil && out.Flags&protoiface.UnmarshalInitialized != 0
}

// lacking tells whether required fields were missing.
type lacking uint8

const (
	nothing lacking = iota
	some            // package proto also reports it
	doubt           // package proto may not report it
)

// read merges data into the message of p at to.
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

// plain returns the equivalent options of package proto.
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
