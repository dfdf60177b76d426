package oracle

import (
	"encoding/binary"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Wire generates documents for a message type token by token, unlike any Marshal: overlong numbers, packed
// and unpacked lists in turn, messages in pieces, the parts of a map's entry in any order, twice or missing,
// and, if it is wild, any kind of error.
func Wire(c *Choices, md protoreflect.MessageDescriptor) []byte {
	w := &wire{c: c, wild: max(0, c.n(5)-2), left: 40 + c.n(400)}
	switch {
	case c.one(12):
		w.chain(md, c.n(12))
	default:
		w.message(md, 1+c.n(5))
	}
	if w.wild > 0 && c.n(3) > 0 {
		w.mutate()
	}
	return w.b
}

// wire is a document, or a piece of one, under construction.
type wire struct {
	c      *Choices
	b      []byte
	tokens []int // start of each token
	wild   int   // how many errors to make: 0 for none
	left   int   // bytes left to write
}

// fault reports whether to make an error, about once in n calls, and more often the wilder w is.
func (w *wire) fault(n int) bool { return w.wild > 0 && w.c.one(max(3, n/w.wild)) }

func (w *wire) token() { w.tokens = append(w.tokens, len(w.b)) }

// varint appends v, possibly overlong or malformed.
func (w *wire) varint(v uint64) {
	w.token()
	at := len(w.b)
	w.b = protowire.AppendVarint(w.b, v)
	switch n := len(w.b) - at; {
	case w.fault(60):
		w.b = append(w.b[:len(w.b)-1], slices.Repeat([]byte{0xff}, 10-n)...)
		w.b = append(w.b, byte(w.c.n(4)), byte(w.c.n(3))) // ten bytes with too large a last one, or eleven bytes
	case w.c.one(10) && n < 10:
		w.b[len(w.b)-1] |= 0x80
		w.b = append(w.b, slices.Repeat([]byte{0x80}, w.c.n(10-n))...)
		w.b = append(w.b, 0)
	}
}

func (w *wire) tag(n protowire.Number, t protowire.Type) { w.varint(uint64(n)<<3 | uint64(t)) }

// piece appends a length and the output of make.
func (w *wire) piece(make func(*wire)) {
	in := &wire{c: w.c, wild: w.wild, left: w.left / 2}
	make(in)
	if in.wild > 1 && w.c.one(12) {
		in.mutate()
	}
	n := uint64(len(in.b))
	if w.fault(50) {
		n = []uint64{n + 1, n - 1, n + 2, 0, n * 2, 1 << 31, 1<<32 | n, 1 << 63, 1<<64 - 1, 1<<62 + n}[w.c.n(10)]
	}
	w.varint(n)
	for _, t := range in.tokens {
		w.tokens = append(w.tokens, len(w.b)+t)
	}
	w.b = append(w.b, in.b...)
	w.left -= len(in.b)
}

// message appends fields of a message.
func (w *wire) message(md protoreflect.MessageDescriptor, depth int) {
	extensions := extensionsOf(md)
	var last protoreflect.FieldDescriptor
	whole := w.c.n(4) > 0 // set required fields, as far as possible
	for range w.c.n(7) {
		if w.left <= 0 {
			break
		}
		fields := md.Fields()
		switch k := w.c.n(16); {
		case k < 9 && fields.Len() > 0:
			last = fields.Get(w.c.n(fields.Len()))
			w.fields(last, depth)
		case k < 11 && last != nil: // the same field again, or another one of its oneof
			if o := last.ContainingOneof(); o != nil {
				last = o.Fields().Get(w.c.n(o.Fields().Len()))
			}
			w.fields(last, depth)
		case k < 13 && len(extensions) > 0:
			w.fields(extensions[w.c.n(len(extensions))], depth)
		case k == 13:
			w.unknown(md, 3)
		case k == 14 && fields.Len() > 0: // the wrong wire type
			fd := fields.Get(w.c.n(fields.Len()))
			w.any(fd.Number(), 3)
		case k == 15 && w.fault(4):
			w.token()
			for range 1 + w.c.n(4) {
				w.b = append(w.b, w.c.byte())
			}
		}
	}
	if whole && depth > -8 {
		for i := range md.Fields().Len() {
			if fd := md.Fields().Get(i); fd.Cardinality() == protoreflect.Required {
				w.field(fd, min(depth, 0)-1)
			}
		}
	}
}

// fields appends a field, or a run of a list or map.
func (w *wire) fields(fd protoreflect.FieldDescriptor, depth int) {
	n := 1
	if fd.Cardinality() == protoreflect.Repeated {
		n += w.c.n(5)
	}
	for range n {
		w.field(fd, depth)
	}
}

func (w *wire) field(fd protoreflect.FieldDescriptor, depth int) {
	switch {
	case fd.IsMap():
		w.tag(fd.Number(), protowire.BytesType)
		w.piece(func(in *wire) { in.entry(fd, depth) })
	case fd.IsList() && wireOf(fd) != protowire.BytesType && wireOf(fd) != protowire.StartGroupType && w.c.n(2) == 0:
		w.tag(fd.Number(), protowire.BytesType)
		w.piece(func(in *wire) {
			for range in.c.n(6) {
				in.value(fd, depth)
			}
		})
	default:
		w.tag(fd.Number(), wireOf(fd))
		w.value(fd, depth)
	}
}

// value appends a field's value.
func (w *wire) value(fd protoreflect.FieldDescriptor, depth int) {
	switch wireOf(fd) {
	case protowire.VarintType:
		w.varint(w.c.number())
	case protowire.Fixed32Type:
		w.token()
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(w.c.number()))
	case protowire.Fixed64Type:
		w.token()
		w.b = binary.LittleEndian.AppendUint64(w.b, w.c.number())
	case protowire.StartGroupType:
		w.inner(fd.Message(), depth)
		w.end(fd.Number())
	default:
		if fd.Message() != nil {
			w.piece(func(in *wire) { in.inner(fd.Message(), depth) })
		} else {
			w.text(fd.Kind() == protoreflect.StringKind)
		}
	}
}

func (w *wire) inner(md protoreflect.MessageDescriptor, depth int) {
	if depth != 0 {
		w.message(md, depth-1)
	}
}

// end appends the end of group n.
func (w *wire) end(n protowire.Number) {
	switch {
	case w.fault(20):
	case w.fault(20):
		w.tag(n+1, protowire.EndGroupType)
	default:
		w.tag(n, protowire.EndGroupType)
	}
}

// broken are texts that are not UTF-8, with the error at the beginning, middle and end of words of eight
// bytes.
var broken = []string{"\xff", "1234567\xc0", "12345678\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe6\x97", "123456\xe6\x97", "\xc0\x80", "1234567890abcdef\xf0\x9f\x99"}

func (w *wire) text(utf8 bool) {
	w.piece(func(in *wire) {
		s := texts[in.c.n(len(texts))]
		if !utf8 && in.c.one(4) || in.fault(20) {
			s = broken[in.c.n(len(broken))]
		}
		in.b = append(in.b, s...)
	})
}

// entry appends the parts of a map's entry.
func (w *wire) entry(fd protoreflect.FieldDescriptor, depth int) {
	key, value := fd.MapKey(), fd.MapValue()
	if w.c.n(2) == 0 {
		w.field(key, depth)
		w.field(value, depth)
		return
	}
	for range w.c.n(5) {
		switch w.c.n(8) {
		case 0, 1:
			w.field(key, depth)
		case 2, 3, 4:
			w.field(value, depth)
		case 5:
			w.any(protowire.Number(1+w.c.n(2)), 2)
		default:
			w.unknown(fd.Message(), 2)
		}
	}
}

// unknown appends a field that md may not have.
func (w *wire) unknown(md protoreflect.MessageDescriptor, depth int) {
	n := protowire.Number(1 + w.c.n(40))
	switch w.c.n(6) {
	case 0:
		n = protowire.Number(1 + w.c.n(3000))
	case 1:
		n = protowire.MaxValidNumber - protowire.Number(w.c.n(2))
	case 2:
		if r := md.ExtensionRanges(); r.Len() > 0 {
			n = r.Get(w.c.n(r.Len()))[0] + protowire.Number(w.c.n(12))
		}
	case 3:
		if w.fault(5) { // an invalid number, or one whose lower bits are a field's
			w.varint([]uint64{0, 7, 1 << 32, 1<<32 | uint64(n)<<3, 1<<35 | uint64(n)<<3 | 2, 1 << 63, (1 << 29) << 3, 1<<64 - 1}[w.c.n(8)] + uint64(w.c.n(6)))
			return
		}
	}
	w.any(n, depth)
}

// any appends field n with any wire type.
func (w *wire) any(n protowire.Number, depth int) {
	types := 4
	if depth > 0 {
		types = 5
	}
	t := []protowire.Type{protowire.VarintType, protowire.Fixed32Type, protowire.Fixed64Type, protowire.BytesType, protowire.StartGroupType}[w.c.n(types)]
	if w.fault(15) {
		t = protowire.Type(w.c.n(8))
	}
	w.tag(n, t)
	switch t {
	case protowire.VarintType:
		w.varint(w.c.number())
	case protowire.Fixed32Type:
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(w.c.number()))
	case protowire.Fixed64Type:
		w.b = binary.LittleEndian.AppendUint64(w.b, w.c.number())
	case protowire.BytesType:
		w.text(false)
	case protowire.StartGroupType:
		for range w.c.n(4) {
			w.any(protowire.Number(1+w.c.n(20)), depth-1)
		}
		w.end(n)
	}
}

// chain appends messages nested n deep.
func (w *wire) chain(md protoreflect.MessageDescriptor, n int) {
	var nested []protoreflect.FieldDescriptor
	for i := range md.Fields().Len() {
		if fd := md.Fields().Get(i); fd.Message() != nil && (!fd.IsMap() || fd.MapValue().Message() != nil) {
			nested = append(nested, fd)
		}
	}
	for _, x := range extensionsOf(md) {
		if x.Message() != nil {
			nested = append(nested, x)
		}
	}
	if n == 0 || len(nested) == 0 {
		return
	}
	fd := nested[w.c.n(len(nested))]
	w.tag(fd.Number(), wireOf(fd))
	switch {
	case fd.IsMap():
		w.piece(func(in *wire) {
			in.tag(2, protowire.BytesType)
			in.piece(func(in *wire) { in.chain(fd.MapValue().Message(), n-1) })
		})
	case wireOf(fd) == protowire.StartGroupType:
		w.chain(fd.Message(), n-1)
		w.end(fd.Number())
	default:
		w.piece(func(in *wire) { in.chain(fd.Message(), n-1) })
	}
}

// mutate changes tokens without adapting the lengths around them.
func (w *wire) mutate() {
	for range 1 + w.c.n(2) {
		if len(w.tokens) == 0 {
			return
		}
		i := w.c.n(len(w.tokens))
		j := min(len(w.tokens), i+1+w.c.n(3))
		from, to := min(w.tokens[i], len(w.b)), len(w.b)
		if j < len(w.tokens) {
			to = min(w.tokens[j], len(w.b))
		}
		from = min(from, to)
		token := slices.Clone(w.b[from:to])
		switch w.c.n(8) {
		case 0: // truncate, inside or after the token
			w.b = w.b[:from+w.c.n(to-from+1)]
		case 1:
			w.b = slices.Delete(w.b, from, to)
		case 2:
			w.b = slices.Insert(w.b, from, token...)
		case 3: // to the end
			w.b = append(slices.Delete(w.b, from, to), token...)
		case 4:
			if from < to {
				w.b[from] = w.c.byte()
			}
		case 5:
			if from < to {
				w.b[to-1] ^= 0x80
			}
		case 6:
			w.b = slices.Insert(w.b, from, w.c.byte())
		case 7:
			if from < to {
				w.b[from+w.c.n(to-from)] ^= 1 << w.c.n(8)
			}
		}
	}
}

func extensionsOf(md protoreflect.MessageDescriptor) (all []protoreflect.FieldDescriptor) {
	if md.ExtensionRanges().Len() == 0 {
		return nil
	}
	protoregistry.GlobalTypes.RangeExtensionsByMessage(md.FullName(), func(x protoreflect.ExtensionType) bool {
		all = append(all, x.TypeDescriptor())
		return true
	})
	slices.SortFunc(all, func(x, y protoreflect.FieldDescriptor) int { return int(x.Number()) - int(y.Number()) })
	return all
}

// wireOf returns the wire type of fd's values.
func wireOf(fd protoreflect.FieldDescriptor) protowire.Type {
	if fd.IsMap() {
		return protowire.BytesType
	}
	switch fd.Kind() {
	case protoreflect.BoolKind, protoreflect.EnumKind, protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Uint64Kind:
		return protowire.VarintType
	case protoreflect.Sfixed32Kind, protoreflect.Fixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Sfixed64Kind, protoreflect.Fixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.BytesType
}
