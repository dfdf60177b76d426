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

// other handles a tag at start that is not a field of p: the end of the group, which sets done, an extension,
// or an unknown field.
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
		fail(errRecursion) // package proto checks the nesting of a map's entry before its wire type
	}
	if p.extensions != none && p.info.Desc.Fields().ByNumber(num) == nil {
		x, err := d.extension(p, num)
		_, has := (*xunsafe.Cast[protoimpl.ExtensionFields](xunsafe.Add(to, p.extensions)))[int32(num)] // known without the Resolver
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

// keep appends an unknown field, the document from start to end with its value at value, to b. It does not
// copy if b is empty or is the part of the document before start.
func (d *decoder) keep(b *[]byte, tag uint64, start, end, value int) {
	if value-start == protowire.SizeVarint(tag) { // otherwise the tag is overlong and is rewritten
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
		s = append(machine.GrowBytes(d.r, nil, max(n, 2*cap(s)))[:0], s...) // doubling avoids quadratic time and memory
	}
	s = protowire.AppendVarint(s[:was], tag)
	*b = append(s, d.view(value, end)...)
}

// extension looks up the extension of p with number num.
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

// mayLack reports whether messages of type m, or nil, can lack required fields. seen holds the types visited.
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

// foreign lets package proto decode one field, from start to end with its value at i, into the message of p
// at to. Its memory is on the heap. m is the type of the field if it is a message.
func (d *decoder) foreign(p *program, to xunsafe.Pointer, start, i, end int, m protoreflect.MessageDescriptor) int {
	tag, _ := d.varint(start)
	num, wire := protowire.Number(tag>>3), protowire.Type(tag&7)
	n := protowire.ConsumeFieldValue(num, wire, d.view(i, end))
	if n < 0 {
		d.leave(p, to, d.view(start, end)) // its error may be more specific
		fail(errDecode)
	}
	if !d.leave(p, to, d.view(start, i+n)) {
		switch {
		case p.required == 0:
			d.partial = true
		case mayLack(m, map[protoreflect.FullName]bool{}):
			d.doubt = true // unless p's own fields are missing
		}
	}
	return i + n
}

// leave lets package proto merge body into the message of p at to, and reports whether the message has all
// required fields. It calls the same function as UnmarshalState, with the flag by which CheckInitialized
// ignores lazily decoded fields.
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

// outside calls f, which may use the arena itself. Checked builds report a nested use otherwise.
func (d *decoder) outside(f func()) {
	if check.Watched {
		d.r.Leave()
		defer machine.Enter(d.a, "arenapb.Unmarshal") // deferred for a panic of f, because the caller leaves
	}
	f()
}
