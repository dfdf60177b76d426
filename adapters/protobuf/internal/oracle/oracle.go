// Package oracle compares arenapb with package proto on random and malformed messages of any type.
package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/arenareflect"
)

// NameOf returns the full name of m's type.
func NameOf(m proto.Message) string { return string(m.ProtoReflect().Descriptor().FullName()) }

// Fresh returns a new message of m's type in a.
func Fresh(a *arena.Arena, m proto.Message) proto.Message {
	return arenareflect.New(a, reflect.TypeOf(m).Elem()).Interface().(proto.Message)
}

// Differ returns how arenapb's result for data differs from proto's, for several options.
func Differ(a *arena.Arena, kind proto.Message, data, before []byte) error {
	for _, o := range []arenapb.UnmarshalOptions{{}, {AllowPartial: true, AliasBuffer: true}, {DiscardUnknown: true, AllowPartial: true}, {Merge: true}, {RecursionLimit: 4}, {AliasBuffer: true, AllowPartial: true, Merge: true}} {
		if err := DifferBy(o, a, kind, data, before); err != nil {
			return err
		}
	}
	return nil
}

// DifferBy is Differ for the options o. If o has Merge, the message already contains each of before. If a has
// a limit, it may be exceeded.
func DifferBy(o arenapb.UnmarshalOptions, a *arena.Arena, kind proto.Message, data []byte, before ...[]byte) error {
	p := proto.UnmarshalOptions{
		Merge: o.Merge, AllowPartial: o.AllowPartial, DiscardUnknown: o.DiscardUnknown, Resolver: o.Resolver,
		RecursionLimit: o.RecursionLimit, NoLazyDecoding: o.NoLazyDecoding,
	}
	want, got := Fresh(nil, kind), Fresh(a, kind)
	for _, b := range before {
		if !o.Merge {
			break
		}
		if (proto.UnmarshalOptions{AllowPartial: true, Merge: true}).Unmarshal(b, want) != nil {
			return nil
		}
		if err := (arenapb.UnmarshalOptions{AllowPartial: true, Merge: true}).Unmarshal(a, b, got); err != nil {
			if errors.As(err, new(*arena.LimitError)) {
				return nil
			}
			return fmt.Errorf("what comes before: %w", err)
		}
	}
	copied := placed(a, data)
	wantErr, gotErr := p.Unmarshal(data, want), o.Unmarshal(a, copied, got)
	if !bytes.Equal(copied, data) || bytes.ContainsFunc(copied[len(data):cap(copied)], func(r rune) bool { return r != dirt }) {
		return fmt.Errorf("%+v: the document was written to, or what lies behind it: %x", o, copied[:cap(copied)])
	}
	if !o.AliasBuffer {
		clear(copied) // data must not be retained
	}
	if errors.As(gotErr, new(*arena.LimitError)) {
		return nil
	}
	if (wantErr == nil) != (gotErr == nil) || wantErr != nil && said(wantErr) != said(gotErr) {
		return fmt.Errorf("%+v: error %v, package proto has %v", o, gotErr, wantErr)
	}
	if wantErr != nil {
		if says := cloned(got); says != nil && cloned(want) == nil { // the result must be a valid message, even after an error
			return fmt.Errorf("%+v: after the error %v a clone panics: %v", o, gotErr, says)
		}
		return nil
	}
	if err := Unlike(got, want); err != nil {
		return fmt.Errorf("%+v: %w", o, err)
	}
	return nil
}

// dirt follows documents in memory: part of a number, or of a tag.
const dirt = 0x7f

// placed returns a copy of data. Depending on its length, dirt follows or not, and the copy is the newest
// slice of a, unless a's limit is exceeded, or on the heap.
func placed(a *arena.Arena, data []byte) (copied []byte) {
	copied = append(bytes.Clone(data), bytes.Repeat([]byte{dirt}, len(data)%2*len(data)%20)...)
	copied = copied[:len(copied):len(copied)]
	defer func() {
		recover() // from the limit
		copied = copied[:len(data)]
	}()
	if len(data)%4 != 1 {
		copied = arena.CloneSlice(a, copied)
	}
	return copied
}

// cloned returns the value with which cloning m panics, or nil.
func cloned(m proto.Message) (says any) {
	defer func() { says = recover() }()
	proto.Clone(m)
	return nil
}

// failing is a Resolver that always fails.
type failing struct{}

var errResolver = errors.New("the resolver does not work")

func (failing) FindExtensionByName(protoreflect.FullName) (protoreflect.ExtensionType, error) {
	return nil, errResolver
}

func (failing) FindExtensionByNumber(protoreflect.FullName, protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	return nil, errResolver
}

// Options chooses options.
func Options(c *Choices) arenapb.UnmarshalOptions {
	o := arenapb.UnmarshalOptions{
		Merge: c.one(3), AllowPartial: c.one(3), DiscardUnknown: c.one(5), NoLazyDecoding: c.one(5), AliasBuffer: c.one(3),
	}
	if c.one(3) {
		o.RecursionLimit = c.n(10) - 1
	}
	switch c.n(12) {
	case 1:
		o.Resolver = new(protoregistry.Types)
	case 2:
		o.Resolver = failing{}
	case 3:
		o.Resolver = protoregistry.GlobalTypes
	}
	return o
}

// said returns the text of err. Which of several missing required fields is reported depends on the iteration
// order of a map, so its name is removed.
func said(err error) string {
	if s := err.Error(); !strings.Contains(s, "required field") {
		return s
	}
	return "required field"
}

// Unlike returns how two messages differ.
func Unlike(got, want proto.Message) error {
	if !proto.Equal(got, want) {
		return fmt.Errorf("the message is\n%v, package proto has\n%v", got, want)
	}
	det := proto.MarshalOptions{Deterministic: true, AllowPartial: true}
	x, errX := det.Marshal(got)
	y, errY := det.Marshal(want)
	if (errX == nil) != (errY == nil) || !bytes.Equal(x, y) {
		return fmt.Errorf("it is marshalled as\n%x (%v), that of package proto as\n%x (%v)", x, errX, y, errY)
	}
	if err := DifferOut(nil, got); err != nil {
		return err
	}
	return alike(got.ProtoReflect(), want.ProtoReflect())
}

// DifferOut returns how arenapb's encoding of m differs from proto's, for several options.
func DifferOut(a *arena.Arena, m proto.Message) error {
	for _, partial := range []bool{true, false} {
		want, fails := proto.MarshalOptions{Deterministic: true, AllowPartial: partial}.Marshal(m)
		got, err := arenapb.MarshalOptions{Deterministic: true, AllowPartial: partial}.Marshal(a, m)
		if !bytes.Equal(got, want) || (got == nil) != (want == nil) || (err == nil) != (fails == nil) || err != nil && said(err) != said(fails) {
			return fmt.Errorf("%v is written as\n%x (%v), by package proto as\n%x (%v)", m, got, err, want, fails)
		}
		if err == nil && len(got) > 0 && a != nil && (cap(got) != len(got) || &arena.Escape(a, got)[0] == &got[0]) {
			return fmt.Errorf("%d bytes of %d are not in the arena", len(got), cap(got))
		}
	}
	return nil
}

// alike compares what proto.Equal ignores: the order of unknown fields, and whether empty bytes are nil.
func alike(got, want protoreflect.Message) (err error) {
	if !bytes.Equal(got.GetUnknown(), want.GetUnknown()) {
		return fmt.Errorf("unknown fields are %x, package proto has %x", got.GetUnknown(), want.GetUnknown())
	}
	each := func(fd protoreflect.FieldDescriptor, x, y protoreflect.Value) {
		switch {
		case err != nil:
		case fd.Message() != nil:
			err = alike(x.Message(), y.Message())
		case fd.Kind() == protoreflect.BytesKind && (x.Bytes() == nil) != (y.Bytes() == nil):
			err = fmt.Errorf("%s: nil bytes", fd.FullName())
		}
	}
	for i := range want.Descriptor().Fields().Len() { // also unset fields, which Range omits
		fd := want.Descriptor().Fields().Get(i)
		if fd.Kind() == protoreflect.BytesKind && !fd.IsList() && (got.Get(fd).Bytes() == nil) != (want.Get(fd).Bytes() == nil) {
			return fmt.Errorf("%s: nil bytes", fd.FullName())
		}
	}
	want.Range(func(fd protoreflect.FieldDescriptor, y protoreflect.Value) bool {
		x := got.Get(fd)
		switch {
		case fd.IsMap():
			y.Map().Range(func(k protoreflect.MapKey, y protoreflect.Value) bool {
				each(fd.MapValue(), x.Map().Get(k), y)
				return true
			})
		case fd.IsList():
			for i := range y.List().Len() {
				each(fd, x.List().Get(i), y.List().Get(i))
			}
		default:
			each(fd, x, y)
		}
		return true
	})
	return err
}

// Fill sets m to random values.
func Fill(r *rand.Rand, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); r.IntN(3) == 0 || fd.Cardinality() == protoreflect.Required && r.IntN(50) != 0 {
			fillField(r, m, fd, depth)
		}
	}
	protoregistry.GlobalTypes.RangeExtensionsByMessage(m.Descriptor().FullName(), func(x protoreflect.ExtensionType) bool {
		if r.IntN(4) == 0 {
			fillField(r, m, x.TypeDescriptor(), depth)
		}
		return true
	})
	if r.IntN(6) == 0 {
		u := protowire.AppendTag(nil, protowire.Number(900000+r.IntN(3)), protowire.VarintType)
		m.SetUnknown(protowire.AppendVarint(u, r.Uint64()))
	}
}

func fillField(r *rand.Rand, m protoreflect.Message, fd protoreflect.FieldDescriptor, depth int) {
	nested := fd.Message() != nil && !fd.IsMap() || fd.IsMap() && fd.MapValue().Message() != nil
	if nested && depth <= 0 {
		return
	}
	switch {
	case fd.IsMap():
		for range r.IntN(4) {
			k := scalar(r, fd.MapKey()).MapKey()
			if nested {
				Fill(r, m.Mutable(fd).Map().Mutable(k).Message(), depth-1)
			} else {
				m.Mutable(fd).Map().Set(k, scalar(r, fd.MapValue()))
			}
		}
	case fd.IsList():
		for range r.IntN(5) {
			if nested {
				Fill(r, m.Mutable(fd).List().AppendMutable().Message(), depth-1)
			} else {
				m.Mutable(fd).List().Append(scalar(r, fd))
			}
		}
	case nested:
		Fill(r, m.Mutable(fd).Message(), depth-1)
	default:
		m.Set(fd, scalar(r, fd))
	}
}

var texts = []string{"", "a", "1234567", "12345678", "a longer text of ASCII", "Grüße", "日本語 text 日本語", "x\x00y"}

func scalar(r *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	n := r.Uint64() >> r.IntN(64)
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n%2 == 1)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(int32(n % 4)))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(n)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(math.Float32frombits(uint32(n)))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n) / 3)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(texts[r.IntN(len(texts))])
	}
	return protoreflect.ValueOfBytes([]byte(texts[r.IntN(len(texts))]))
}

// Document returns a random encoded message of m's type.
func Document(t testing.TB, r *rand.Rand, m proto.Message) []byte {
	x := Fresh(nil, m)
	Fill(r, x.ProtoReflect(), 3)
	doc, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// Mutate breaks doc, or turns it into another valid document.
func Mutate(r *rand.Rand, doc []byte) []byte {
	doc = bytes.Clone(doc)
	for range 1 + r.IntN(3) {
		at := 0
		if len(doc) > 0 {
			at = r.IntN(len(doc))
		}
		switch r.IntN(7) {
		case 0: // cut
			doc = doc[:at]
		case 1:
			if len(doc) > 0 {
				doc[at] = byte(r.Uint32())
			}
		case 2:
			if len(doc) > 0 {
				doc[at] ^= 1 << r.IntN(8)
			}
		case 3: // a field of any number and type
			doc = protowire.AppendTag(doc, protowire.Number(r.IntN(60)), protowire.Type(r.IntN(8)))
			doc = protowire.AppendVarint(doc, uint64(r.IntN(20)))
		case 4: // repeat a piece
			doc = append(doc, doc[at:]...)
		case 5: // insert bytes
			doc = append(doc[:at], append([]byte{byte(r.Uint32()), 0}, doc[at:]...)...)
		case 6: // an overlong tag
			doc = append(doc, byte(r.IntN(128))|0x80, 0x80, 0, 1, 2, 3, 4)
		}
	}
	return doc
}
