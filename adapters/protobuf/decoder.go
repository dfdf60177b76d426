package arenapb

import (
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// decoder decodes one message.
type decoder struct {
	base  xunsafe.Pointer // the document, followed by docSlack zeros
	r     *machine.Region
	maps  *machine.MapStore // of r; nil before the first map
	depth int               // remaining levels of nesting

	discard bool // DiscardUnknown
	partial bool // a message lacks required fields
	doubt   bool // package proto may ignore that a field is missing

	a       *arena.Arena
	n       int // length of the document
	options UnmarshalOptions
}

// docSlack is how far the decoder may read past the document: a number of ten bytes after a truncated tag of
// four. Such bytes cause an error, but may be stored in the message before it, so they are zeros and not old
// data.
const docSlack = 16

// docAlign is the alignment of documents.
const docAlign = 8

// message reads fields of p into the message at to, from i to end, or to the end of the group with number
// group. It returns where it stopped.
//
// The ops of most documents are inlined here by hand. A number that end truncates is noticed when the loop
// ends past end.
func (d *decoder) message(p *program, to xunsafe.Pointer, i, end int, group protowire.Number) int {
	if d.depth--; d.depth < 0 {
		fail(errRecursion)
	}
	var seen uint64
	for i < end {
		start := i
		var f *field
		if tag := d.at(i); tag < 0x80 {
			f = p.short[tag]
			i++
		} else {
			f, i = d.longTag(p, i, end)
		}
		o := f.op
		if o == opMarked {
			seen |= f.required
			if f.bit != 0 {
				*xunsafe.Cast[uint32](xunsafe.Add(to, f.presence)) |= f.bit
			}
			o = f.marked
		}
		at := xunsafe.Add(to, f.offset)
		switch o {
		case opOneofText:
			at = d.wrapper(f, at)
			fallthrough
		case opText:
			n := int(d.at(i))
			if i++; n >= 0x80 {
				n, i = d.longLength(n, i)
			}
			if n > end-i {
				fail(errDecode)
			}
			if !d.ascii(i, n) && !utf8.ValidString(d.text(i, i+n)) {
				fail(errUTF8)
			}
			*xunsafe.Cast[string](at) = d.text(i, i+n)
			i += n
		case opString:
			n := int(d.at(i))
			if i++; n >= 0x80 {
				n, i = d.longLength(n, i)
			}
			if n > end-i {
				fail(errDecode)
			}
			*xunsafe.Cast[string](at) = d.text(i, i+n)
			i += n
		case opBytes:
			n := int(d.at(i))
			if i++; n >= 0x80 {
				n, i = d.longLength(n, i)
			}
			if n > end-i {
				fail(errDecode)
			}
			d.bytes(xunsafe.Cast[[]byte](at), i, i+n, f.filled)
			i += n
		case opOneofMessage:
			at = d.wrapper(f, at)
			fallthrough
		case opMessage:
			n := int(d.at(i))
			if i++; n >= 0x80 {
				n, i = d.longLength(n, i)
			}
			if n > end-i {
				fail(errDecode)
			}
			m := *xunsafe.Cast[xunsafe.Pointer](at)
			if m == nil {
				m = machine.NewOfType(d.r, f.sub.mem)
				*xunsafe.Cast[xunsafe.Pointer](at) = m
			}
			i = d.message(f.sub, m, i, i+n, 0)
		case opMessages:
			i = d.messages(f, at, i, end)
		case opFixed64:
			*xunsafe.Cast[uint64](at) = d.word(i)
			i += 8
		case opFixed32:
			*xunsafe.Cast[uint32](at) = d.word32(i)
			i += 4
		case opInt32:
			v := uint64(d.at(i))
			if i++; v >= 0x80 {
				v, i = d.longNumber(v, i)
			}
			*xunsafe.Cast[uint32](at) = uint32(v)
		case opInt64:
			v := uint64(d.at(i))
			if i++; v >= 0x80 {
				v, i = d.longNumber(v, i)
			}
			*xunsafe.Cast[uint64](at) = v
		case opBool, opSint32, opSint64:
			i = d.scalar(o, at, i, end, false)
		case opOneof:
			i = d.scalar(f.scalar, d.wrapper(f, at), i, end, f.filled)
		case opOptional:
			m := *xunsafe.Cast[xunsafe.Pointer](at)
			if m == nil {
				m = machine.NewOfType(d.r, f.mem)
				*xunsafe.Cast[xunsafe.Pointer](at) = m
			}
			i = d.scalar(f.scalar, m, i, end, f.filled)
		case opPacked:
			i = d.packed(f, at, i, end)
		case opList:
			i = d.list(f, at, i, end)
		case opMap:
			i = d.mapRun(f, at, i, end)
		case opSized:
			i = f.sized.read(d, f, at, i, end)
		case opGroup, opOneofGroup, opGroups, opLate:
			i = d.group(o, f, at, i, end)
		case opForeign:
			i = d.foreign(p, to, start, i, end, f.desc.Message())
			if f.sub != nil {
				f.sub.fallbacks.Add(1)
			}
		default:
			var done bool
			if i, done = d.other(p, to, start, end, group); done {
				if seen != p.required || p.incomplete {
					d.partial = true
				}
				d.depth++
				return i
			}
		}
	}
	if i != end || group != 0 {
		fail(errDecode)
	}
	if seen != p.required || p.incomplete {
		d.partial = true
	}
	d.depth++
	return i
}

// longTag returns the field of a tag of more than one byte. The tag must end before end.
func (d *decoder) longTag(p *program, i, end int) (*field, int) {
	tag, i := d.varint(i)
	if i > end {
		fail(errDecode)
	}
	if tag < uint64(len(p.short)) {
		return p.short[tag], i // an overlong encoding
	}
	if n := tag >> 3; n > uint64(protowire.MaxValidNumber) {
		fail(errDecode)
	}
	if f := p.long[uint32(tag)]; f != nil {
		return f, i
	}
	return other, i
}

// Reading a number begins with its first byte, which is usually the whole number. A function for this would
// be too large to be inlined, so callers do it themselves; longNumber and longLength continue.

// longNumber reads a number whose first byte v, before i, is not the last. Many have two bytes.
func (d *decoder) longNumber(v uint64, i int) (uint64, int) {
	if c := d.at(i); c < 0x80 {
		return v - 0x80 + uint64(c)<<7, i + 1
	}
	return d.varint(i - 1)
}

// longLength is longNumber for a length. It fails if the length exceeds the document, so that adding it
// cannot overflow.
func (d *decoder) longLength(n, i int) (int, int) {
	if c := d.at(i); c < 0x80 {
		return n - 0x80 + int(c)<<7, i + 1
	}
	v, i := d.varint(i - 1)
	if v > uint64(d.n) {
		fail(errDecode)
	}
	return int(v), i
}

// length reads a length and returns the range of its bytes, which must not exceed end.
func (d *decoder) length(i, end int) (from, to int) {
	n := int(d.at(i))
	if i++; n >= 0x80 {
		n, i = d.longLength(n, i)
	}
	if n > end-i {
		fail(errDecode)
	}
	return i, i + n
}

// scalar reads a scalar into *at. The caller must check that it ends before end; it is read from the document
// or from the zeros after it.
func (d *decoder) scalar(o op, at xunsafe.Pointer, i, end int, filled bool) int {
	switch o {
	case opText, opString:
		from, to := d.length(i, end)
		if o == opText && !d.ascii(from, to-from) && !utf8.ValidString(d.text(from, to)) {
			fail(errUTF8)
		}
		*xunsafe.Cast[string](at) = d.text(from, to)
		return to
	case opBytes:
		from, to := d.length(i, end)
		d.bytes(xunsafe.Cast[[]byte](at), from, to, filled)
		return to
	case opFixed64:
		if end-i < 8 {
			fail(errDecode)
		}
		*xunsafe.Cast[uint64](at) = d.word(i)
		return i + 8
	case opFixed32:
		if end-i < 4 {
			fail(errDecode)
		}
		*xunsafe.Cast[uint32](at) = d.word32(i)
		return i + 4
	}
	v := uint64(d.at(i))
	if i++; v >= 0x80 {
		v, i = d.longNumber(v, i)
	}
	if i > end {
		fail(errDecode)
	}
	switch o {
	case opBool:
		*xunsafe.Cast[bool](at) = protowire.DecodeBool(v)
	case opInt32:
		*xunsafe.Cast[uint32](at) = uint32(v)
	case opInt64:
		*xunsafe.Cast[uint64](at) = v
	case opSint32:
		*xunsafe.Cast[int32](at) = int32(protowire.DecodeZigZag(v & 0xffffffff))
	case opSint64:
		*xunsafe.Cast[int64](at) = protowire.DecodeZigZag(v)
	}
	return i
}

// varint reads a number. Up to eight bytes are read as one word and their groups of seven bits are moved
// together.
func (d *decoder) varint(i int) (uint64, int) {
	w := d.word(i)
	stop := ^w & 0x8080808080808080 // top bits of the bytes that can end the number
	if stop == 0 {
		return d.longVarint(i)
	}
	w &= stop ^ (stop - 1)
	w &= 0x7f7f7f7f7f7f7f7f
	w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
	w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
	w = w&0x000000000fffffff | w&0x0fffffff00000000>>4
	return w, i + lastByte(stop)
}

// longVarint reads a number of 9 or 10 bytes.
func (d *decoder) longVarint(i int) (uint64, int) {
	v, n := protowire.ConsumeVarint(d.view(i, i+protowire.SizeVarint(1<<63)))
	if n < 0 {
		fail(errDecode)
	}
	return v, i + n
}

// ascii reports whether the n bytes at i are all below 0x80.
func (d *decoder) ascii(i, n int) bool {
	const tops = 0x8080808080808080
	for ; n >= 8; i, n = i+8, n-8 {
		if d.word(i)&tops != 0 {
			return false
		}
	}
	// Shift out the bytes after the text, or all bytes if n is 0.
	return d.word(i)<<(64-8*uint(n))&tops == 0
}

// bytes sets *b to doc[i:end]. If filled is set, an empty field is decoded as a non-nil empty slice.
func (d *decoder) bytes(b *[]byte, i, end int, filled bool) {
	if i == end && !filled {
		*b = nil
		return
	}
	*b = d.view(i, end)
}

// wrapper returns the address of f's value in its wrapper: the current wrapper of the oneof at at if it is
// f's, or a new one.
func (d *decoder) wrapper(f *field, at xunsafe.Pointer) xunsafe.Pointer {
	x := xunsafe.Cast[xunsafe.Words](at)
	if x.Type == f.wrapper && x.Data != nil {
		return x.Data
	}
	w := machine.NewOfType(d.r, f.mem)
	*x = xunsafe.Words{Type: f.wrapper, Data: w}
	return w
}

// group reads f, a group whose start tag ends at i.
func (d *decoder) group(o op, f *field, at xunsafe.Pointer, i, end int) int {
	switch o {
	case opLate:
		return d.late(f, at, i, end)
	case opOneofGroup:
		at = d.wrapper(f, at)
	case opGroups:
		s := d.listOf(f, at)
		d.reserve(f, s, 1)
		at = xunsafe.Add(s.Data, uintptr(s.Len)*f.mem.Size)
		*xunsafe.Cast[xunsafe.Pointer](at) = nil
		s.Len++
	}
	m := *xunsafe.Cast[xunsafe.Pointer](at)
	if m == nil {
		m = machine.NewOfType(d.r, f.sub.mem)
		*xunsafe.Cast[xunsafe.Pointer](at) = m
	}
	return d.message(f.sub, m, i, end, f.number())
}

// late reads f, a message in a oneof that is not the oneof's first field. When package proto decodes it,
// missing required fields are not reported (in the version of go.mod), although CheckInitialized finds them.
func (d *decoder) late(f *field, at xunsafe.Pointer, i, end int) int {
	before := d.partial
	if f.marked == opOneofGroup {
		i = d.group(opOneofGroup, f, at, i, end)
	} else {
		w := xunsafe.Cast[xunsafe.Pointer](d.wrapper(f, at))
		from, to := d.length(i, end)
		if *w == nil {
			*w = machine.NewOfType(d.r, f.sub.mem)
		}
		i = d.message(f.sub, *w, from, to, 0)
	}
	d.doubt = d.doubt || d.partial && !before
	return i
}
