package arenapb

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoiface"
	"google.golang.org/protobuf/runtime/protoimpl"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// other reads what is not a field of p, whose tag begins at start: the end of the group,
// which done says, or an extension, or an unknown field.
func (d *decoder) other(p *program, to xunsafe.Pointer, start, end int, group protowire.Number) (_ int, done bool) {
	tag, i := d.varint(start)
	num, wire := protowire.Number(tag>>3), protowire.Type(tag&7)
	if num < protowire.MinValidNumber {
		fail(errDecode)
	}
	if wire == protowire.EndGroupType {
		if num != group {
			fail(errDecode)
		}
		return i, true
	}
	if mapsNest && d.depth == 0 && wire != protowire.BytesType && p.isMap(num) {
		fail(errRecursion) // the level of a map's entry counts before its wire type
	}
	if p.extensions != none && p.info.Desc.Fields().ByNumber(num) == nil {
		x, err := d.extension(p, num)
		_, has := (*xunsafe.Cast[protoimpl.ExtensionFields](xunsafe.Add(to, p.extensions)))[int32(num)] // of a type that the Resolver need not know
		if err != protoregistry.NotFound || has {
			m := p.info.Desc
			if x != nil {
				m = x.TypeDescriptor().Message()
			}
			return d.foreign(p, to, start, i, end, m), false
		}
	}
	n := protowire.ConsumeFieldValue(num, wire, d.view(i, end))
	if n < 0 {
		fail(errDecode)
	}
	i += n
	if !d.discard && p.unknown != none {
		d.keep(xunsafe.Cast[[]byte](xunsafe.Add(to, p.unknown)), tag, start, i, i-n)
	}
	return i, false
}

// keep adds an unknown field, which is the document from start to end and has its value
// from value on, to b. It is not copied if b is empty, or is the document until where it begins.
func (d *decoder) keep(b *[]byte, tag uint64, start, end, value int) {
	if value-start == protowire.SizeVarint(tag) { // else the tag is rewritten
		if len(*b) == 0 {
			*b = d.view(start, end)
			return
		}
		if d.follows(*b, start) {
			*b = longer(*b, end-start)
			return
		}
	}
	was := len(*b)
	n := was + protowire.SizeVarint(tag) + end - value
	s := *b
	if n > cap(s) {
		s = append(machine.GrowBytes(d.r, nil, max(n, 2*cap(s)))[:0], s...) // or many would take time and memory by their square
	}
	s = protowire.AppendVarint(s[:was], tag)
	*b = append(s, d.view(value, end)...)
}

// extension asks for the extension of p with number num.
func (d *decoder) extension(p *program, num protowire.Number) (x protoreflect.ExtensionType, err error) {
	d.outside(func() {
		if d.options.Resolver == nil {
			x, err = protoregistry.GlobalTypes.FindExtensionByNumber(p.name, num)
		} else {
			x, err = d.options.Resolver.FindExtensionByNumber(p.name, num)
		}
	})
	return x, err
}

// mayLack reports whether messages of type m, which is nil for none, can lack required fields.
// seen are those that were looked at.
func mayLack(m protoreflect.MessageDescriptor, seen map[protoreflect.FullName]bool) bool {
	if m == nil || seen[m.FullName()] {
		return false
	}
	if m.RequiredNumbers().Len() > 0 || m.ExtensionRanges().Len() > 0 {
		return true
	}
	seen[m.FullName()] = true
	for i := range m.Fields().Len() {
		if mayLack(m.Fields().Get(i).Message(), seen) {
			return true
		}
	}
	return false
}

// foreign has package proto read one field, whose tag begins at start and ends at i,
// into the message of p at to. What it makes lies on the heap. m is the field's message,
// if that is what it is.
func (d *decoder) foreign(p *program, to xunsafe.Pointer, start, i, end int, m protoreflect.MessageDescriptor) int {
	tag, _ := d.varint(start)
	num, wire := protowire.Number(tag>>3), protowire.Type(tag&7)
	n := protowire.ConsumeFieldValue(num, wire, d.view(i, end))
	if n < 0 {
		d.leave(p, to, d.view(start, end)) // which may know better what is wrong
		fail(errDecode)
	}
	if !d.leave(p, to, d.view(start, i+n)) {
		switch {
		case p.required == 0:
			d.partial = true
		case mayLack(m, map[protoreflect.FullName]bool{}):
			d.doubt = true // or what lacks are p's own fields
		}
	}
	return i + n
}

// leave has package proto add what body says to the message of p at to. It reports whether
// that lacks no required field. It calls what UnmarshalState would call, but with the flag
// by which CheckInitialized passes over what is not decoded yet.
func (d *decoder) leave(p *program, to xunsafe.Pointer, body []byte) (whole bool) {
	m := messageAt(p.typ, to).(proto.Message).ProtoReflect()
	o := d.options.plain()
	in := protoiface.UnmarshalInput{Message: m, Buf: body, Resolver: o.Resolver, Depth: d.depth + 1}
	if o.DiscardUnknown {
		in.Flags |= protoiface.UnmarshalDiscardUnknown
	}
	if o.NoLazyDecoding {
		in.Flags |= protoiface.UnmarshalNoLazyDecoding
	}
	if !o.AllowPartial {
		in.Flags |= protoiface.UnmarshalCheckRequired
	}
	var out protoiface.UnmarshalOutput
	var err error
	d.outside(func() { out, err = m.ProtoMethods().Unmarshal(in) })
	if err != nil {
		fail(err)
	}
	return out.Flags&protoiface.UnmarshalInitialized != 0
}

// outside calls f, which may use the arena by itself: in checked builds nobody else
// must be in it then.
func (d *decoder) outside(f func()) {
	if check.Watched {
		d.r.Leave()
		defer machine.Enter(d.a, "arenapb.Unmarshal") // also when f panics, for the caller leaves
	}
	f()
}
