package arenapb_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/ebbpool/arena"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
)

// Hand-written structs.
type (
	label struct {
		Name  string `protobuf:"bytes,1,opt,name=name,proto3"`
		Value string `protobuf:"bytes,2,opt,name=value,proto3"`
	}
	point struct {
		Value     float64 `protobuf:"fixed64,1,opt,name=value,proto3"`
		Timestamp int64   `protobuf:"varint,2,opt,name=timestamp,proto3"`
	}
	series struct {
		Labels  []label `protobuf:"bytes,1,rep,name=labels,proto3"`
		Samples []point `protobuf:"bytes,2,rep,name=samples,proto3"`
	}
	writeRequest struct {
		Series []series `protobuf:"bytes,1,rep,name=timeseries,proto3"`
	}
	level int32
	hexes struct{ text string } // a custom type
	all   struct {
		Skipped          int
		Flag             bool                    `protobuf:"varint,1,opt,name=flag,proto3"`
		Int              int                     `protobuf:"varint,2,opt,name=int,proto3"`
		Level            level                   `protobuf:"varint,3,opt,name=level,proto3"`
		Zig              int64                   `protobuf:"zigzag64,4,opt,name=zig,proto3"`
		Zag              *int32                  `protobuf:"zigzag32,5,opt,name=zag"`
		Float            float32                 `protobuf:"fixed32,6,opt,name=float,proto3"`
		Text             *string                 `protobuf:"bytes,7,opt,name=text"`
		Raw              []byte                  `protobuf:"bytes,8,opt,name=raw"`
		Packed           []uint32                `protobuf:"varint,9,rep,packed,name=packed,proto3"`
		Loose            []int64                 `protobuf:"zigzag64,10,rep,name=loose"`
		Texts            []string                `protobuf:"bytes,11,rep,name=texts"`
		Raws             [][]byte                `protobuf:"bytes,12,rep,name=raws"`
		One              *label                  `protobuf:"bytes,13,opt,name=one"`
		Value            label                   `protobuf:"bytes,14,opt,name=value"`
		Many             []*label                `protobuf:"bytes,15,rep,name=many"`
		Values           []label                 `protobuf:"bytes,16,rep,name=values"`
		Made             time.Time               `protobuf:"bytes,17,opt,name=made,proto3,stdtime"`
		Ends             *time.Time              `protobuf:"bytes,18,opt,name=ends,proto3,stdtime"`
		Took             time.Duration           `protobuf:"bytes,19,opt,name=took,proto3,stdduration"`
		Times            []*time.Time            `protobuf:"bytes,20,rep,name=times,proto3,stdtime"`
		Hexes            hexes                   `protobuf:"bytes,21,opt,name=hexes,proto3,customtype=hexes"`
		MayHexes         *hexes                  `protobuf:"bytes,22,opt,name=may_hexes,proto3"`
		ManyHexes        []hexes                 `protobuf:"bytes,23,rep,name=many_hexes,proto3,customtype=hexes"`
		Counts           map[string]int64        `protobuf:"bytes,24,rep,name=counts" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"varint,2,opt,name=value,proto3"`
		ByLevel          map[level]*label        `protobuf:"bytes,25,rep,name=by_level" protobuf_key:"varint,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
		ByName           map[string]label        `protobuf:"bytes,26,rep,name=by_name" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
		Quantities       map[string]hexes        `protobuf:"bytes,27,rep,name=quantities" protobuf_key:"bytes,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
		Whens            map[int32]*time.Time    `protobuf:"bytes,28,rep,name=whens,stdtime" protobuf_key:"varint,1,opt,name=key,proto3" protobuf_val:"bytes,2,opt,name=value,proto3"`
		Group            *label                  `protobuf:"group,29,opt,name=Group"`
		Groups           []*label                `protobuf:"group,30,rep,name=Groups"`
		Choice           interface{ isChoice() } `protobuf_oneof:"choice"`
		Self             *all                    `protobuf:"bytes,1000,opt,name=self"`
		XXX_unrecognized []byte
	}
	choiceText struct {
		Text string `protobuf:"bytes,31,opt,name=choice_text,oneof"`
	}
	choiceLabel struct {
		Label *label `protobuf:"bytes,32,opt,name=choice_label,oneof"`
	}
	choiceTime struct {
		Time *time.Time `protobuf:"bytes,33,opt,name=choice_time,oneof,stdtime"`
	}
	choiceInt struct {
		Int int64 `protobuf:"zigzag64,34,opt,name=choice_int,oneof"`
	}
)

func (*choiceText) isChoice()  {}
func (*choiceLabel) isChoice() {}
func (*choiceTime) isChoice()  {}
func (*choiceInt) isChoice()   {}
func (*all) XXX_OneofWrappers() []any {
	return []any{(*choiceText)(nil), (*choiceLabel)(nil), (*choiceTime)(nil), (*choiceInt)(nil)}
}

func (h *hexes) Size() int { return len(h.text) + 1 }
func (h *hexes) MarshalTo(b []byte) (int, error) {
	if h.text == "bad" {
		return 0, errors.New("bad hexes")
	}
	return copy(b, "x"+h.text), nil
}
func (h *hexes) Unmarshal(b []byte) error {
	text, ok := strings.CutPrefix(string(b), "x")
	if h.text = text; !ok {
		return errors.New("no hexes")
	}
	return nil
}

func everything() *all {
	zag, text, now := int32(-7), "", time.Unix(1e9, 5).UTC()
	return &all{
		Flag: true, Int: -1, Level: -2, Zig: -3, Zag: &zag, Float: 1.5, Text: &text, Raw: []byte{}, Packed: []uint32{1, 300, 1 << 31},
		Loose: []int64{-1, 1 << 40}, Texts: []string{"a", "", "\xff"}, Raws: [][]byte{{1}, {}}, One: &label{"n", "v"}, Value: label{"x", ""},
		Many: []*label{{"1", "2"}, {}}, Values: []label{{"3", "4"}, {}, {"5", "6"}}, Made: now, Ends: &now, Took: -1500 * time.Millisecond,
		Times: []*time.Time{&now, &now}, Hexes: hexes{"ab"}, MayHexes: &hexes{"cd"}, ManyHexes: []hexes{{"e"}, {""}},
		Counts: map[string]int64{"a": -1, "": 5}, ByLevel: map[level]*label{-1: {"l", "m"}, 2: {}}, ByName: map[string]label{"k": {"o", "p"}, "q": {}},
		Quantities: map[string]hexes{"cpu": {"1"}, "": {""}}, Whens: map[int32]*time.Time{1: &now}, Group: &label{"g", "h"}, Groups: []*label{{"i", ""}, {}},
		Choice: &choiceTime{&now}, Self: &all{Int: 5, Made: now, Choice: &choiceLabel{&label{"r", "s"}}, Raw: nil},
		XXX_unrecognized: protowire.AppendVarint(protowire.AppendTag(nil, 900, protowire.VarintType), 7),
	}
}

// needsLayout skips tests of structs without methods if the runtime's layout is unknown.
func needsLayout(t *testing.T) {
	if !machine.LayoutOK {
		t.Skip("structs without methods can't be read")
	}
}

// A struct with fields of every kind is encoded and decoded again, in an arena and on the heap.
func TestStructs(t *testing.T) {
	needsLayout(t)
	want := everything()
	want.Self.Hexes = hexes{""}
	for _, a := range []*arena.Arena{nil, arena.NewArena(1<<10, 0)} {
		for _, choice := range []interface{ isChoice() }{want.Choice, &choiceText{""}, &choiceLabel{&label{"t", "u"}}, &choiceInt{-9}, nil} {
			want.Choice = choice
			b, err := arenapb.MarshalStruct(a, want)
			if err != nil {
				t.Fatal(err)
			}
			got := all{Skipped: 1, Text: new(string), Packed: []uint32{1}, XXX_unrecognized: []byte{1}}
			if err := arenapb.UnmarshalStruct(a, b, &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(&got, want) {
				t.Fatalf("%+v\nwant %+v", got, want)
			}
		}
		for _, large := range []int{1, 100, 10_000} { // sizes of large messages are computed
			req := writeRequest{}
			for range large {
				req.Series = append(req.Series, series{[]label{{"__name__", "up"}, {"job", strings.Repeat("x", 50)}}, []point{{1.5, 2}, {0, 0}}})
			}
			b, err := arenapb.MarshalStruct(a, &req)
			if err != nil {
				t.Fatal(err)
			}
			var got writeRequest
			if err := arenapb.UnmarshalStruct(a, b, &got); err != nil || !reflect.DeepEqual(got, req) {
				t.Fatal(large, err)
			}
		}
	}
	if b, err := arenapb.MarshalStruct(nil, &label{}); err != nil || b == nil || len(b) != 0 {
		t.Error(b, err)
	}
}

// Each prefix of a document, and each change of a byte, gives an error or a message. A message that is
// encoded and decoded again is unchanged. After an error the struct is zero.
func TestStructsHostile(t *testing.T) {
	needsLayout(t)
	doc, err := arenapb.MarshalStruct(nil, everything())
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena(1<<12, 0)
	a.SetLimit(1 << 20)
	failed := 0
	for i := range doc {
		for _, change := range []func(b []byte) []byte{
			func(b []byte) []byte { return b[:i:i] }, func(b []byte) []byte { b[i] ^= 1; return b }, func(b []byte) []byte { b[i] ^= 0x80; return b },
			func(b []byte) []byte { b[i] = 0xff; return b }, func(b []byte) []byte { b[i]++; return b }, func(b []byte) []byte { b[i] = 0; return b },
		} {
			bad := change(bytes.Clone(doc))
			var got all
			if err := arenapb.UnmarshalStruct(a, bad, &got); err != nil {
				if failed++; !reflect.ValueOf(got).IsZero() {
					t.Fatalf("%x: %v, and the struct is not zero", bad, err)
				}
			} else if out, err := arenapb.MarshalStruct(nil, &got); err == nil {
				var again all
				if err := arenapb.UnmarshalStruct(nil, out, &again); err != nil {
					t.Fatalf("%x: %v", out, err)
				}
			}
			a.Reset()
		}
	}
	if failed < len(doc) {
		t.Errorf("%d errors", failed)
	}
	nested := []byte{}
	for range 20_000 {
		if len(nested) > 1<<20 {
			break
		}
		nested = append(protowire.AppendVarint(protowire.AppendTag(nil, 1000, protowire.BytesType), uint64(len(nested))), nested...)
	}
	var deep all
	if err := arenapb.UnmarshalStruct(arena.NewArena(1<<12, 0), nested, &deep); err == nil || !errors.Is(err, errDeep) {
		t.Error(err)
	}
	var many writeRequest
	err = arenapb.UnmarshalStruct(a, bytes.Repeat([]byte{0x0a, 0}, 1<<18), &many)
	if over := (*arena.LimitError)(nil); !errors.As(err, &over) || many.Series != nil {
		t.Error(len(many.Series), err)
	}
	if err := arenapb.UnmarshalStruct(a, []byte{0x0a, 0}, &many); err != nil || len(many.Series) != 1 {
		t.Error(err)
	}
}

// errDeep is the error for messages nested too deep.
var errDeep = func() error {
	err := proto.UnmarshalOptions{RecursionLimit: 1}.Unmarshal([]byte{0x0a, 0}, new(structpb.ListValue))
	return err
}()

// Unsupported structs cause errors that name the field, and so do malformed documents.
func TestStructErrors(t *testing.T) {
	needsLayout(t)
	type (
		noTags    struct{ A int }
		badNumber struct {
			A int32 `protobuf:"varint,0,opt"`
		}
		badWire struct {
			A int32 `protobuf:"vint,1,opt"`
		}
		badLabel struct {
			A int32 `protobuf:"varint,1,optional"`
		}
		short struct {
			A int32 `protobuf:"varint,1"`
		}
		badType struct {
			A int16 `protobuf:"varint,1,opt"`
		}
		noSlice struct {
			A int32 `protobuf:"varint,1,rep"`
		}
		slice struct {
			A []int32 `protobuf:"varint,1,opt"`
		}
		unsigned struct {
			A uint32 `protobuf:"zigzag32,1,opt"`
		}
		twice struct {
			A int32 `protobuf:"varint,1,opt"`
			B int32 `protobuf:"varint,1,opt"`
		}
		hidden struct {
			a int32 `protobuf:"varint,1,opt"`
		}
		plainSub struct {
			A noTags `protobuf:"bytes,1,opt"`
		}
		inner struct {
			A *badType `protobuf:"bytes,1,opt"`
		}
		floatKey struct {
			A map[float32]int32 `protobuf:"bytes,1,rep" protobuf_key:"fixed32,1,opt" protobuf_val:"varint,2,opt"`
		}
		noKey struct {
			A map[string]int32 `protobuf:"bytes,1,rep"`
		}
		oneof struct {
			A any `protobuf_oneof:"a"`
		}
		wktptr struct {
			A *string `protobuf:"bytes,1,opt,wktptr"`
		}
		extend struct {
			A                      int32 `protobuf:"varint,1,opt"`
			XXX_InternalExtensions []byte
		}
		group struct {
			A label `protobuf:"group,1,opt"`
		}
	)
	_ = hidden{}.a
	for _, v := range []any{nil, 5, noTags{}, (*noTags)(nil), new(int), new(noTags), new(badNumber), new(badWire), new(badLabel), new(short), new(badType), new(noSlice),
		new(slice), new(unsigned), new(twice), new(hidden), new(plainSub), new(inner), new(floatKey), new(noKey), new(oneof), new(wktptr), new(extend), new(group)} {
		for range 2 {
			if err := arenapb.UnmarshalStruct(nil, nil, v); err == nil || !strings.HasPrefix(err.Error(), "arenapb: UnmarshalStruct: ") {
				t.Errorf("%T: %v", v, err)
			}
			if _, err := arenapb.MarshalStruct(nil, v); err == nil || !strings.HasPrefix(err.Error(), "arenapb: MarshalStruct: ") {
				t.Errorf("%T: %v", v, err)
			}
		}
	}
	type required struct {
		A *int32 `protobuf:"varint,1,req"`
		B int32  `protobuf:"varint,2,req"`
	}
	for doc, whole := range map[string]bool{"": false, "\x08\x01": false, "\x10\x01": false, "\x08\x01\x10\x01": true, "\x10\x00\x08\x00": true} {
		var r required
		if err := arenapb.UnmarshalStruct(nil, []byte(doc), &r); (err == nil) != whole {
			t.Errorf("%x: %v", doc, err)
		}
	}
	for _, x := range []*all{{Hexes: hexes{"bad"}}, {Made: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}} {
		if b, err := arenapb.MarshalStruct(arena.NewArena(1<<10, 0), x); err == nil || b != nil {
			t.Errorf("%x, %v", b, err)
		}
	}
	a := arena.NewArena(1<<10, 0)
	a.SetLimit(32 << 10)
	_, err := arenapb.MarshalStruct(a, &label{Name: strings.Repeat("x", 1<<20)})
	if over := (*arena.LimitError)(nil); !errors.As(err, &over) {
		t.Error(err)
	}
}

// Decoding allocates nothing on the heap in steady state.
func TestStructsAllocateNothing(t *testing.T) {
	if check.On || check.Race || check.ASan || !machine.LayoutOK {
		t.Skip("these builds allocate")
	}
	req := writeRequest{}
	for range 300 {
		req.Series = append(req.Series, series{[]label{{"__name__", "up"}, {"job", "api"}, {"instance", "10.0.0.1:9090"}}, []point{{1.5, 1700000000000}}})
	}
	doc, err := arenapb.MarshalStruct(nil, &req)
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena(1<<20, 0)
	n := testing.AllocsPerRun(50, func() {
		got := arena.New[writeRequest](a)
		if err := arenapb.UnmarshalStruct(a, doc, got); err != nil || len(got.Series) != 300 {
			t.Fatal(err)
		}
		if out, err := arenapb.MarshalStruct(a, got); err != nil || len(out) != len(doc) {
			t.Fatal(err)
		}
		a.Reset()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
