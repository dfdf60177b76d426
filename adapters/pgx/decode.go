package arenapgx

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"time"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/internal/machine"
)

// The decoders of the binary format. Each leaves to pgx what it does not know, and what
// is wrong.

func decodeText(w *way, src []byte, to pointer) bool {
	*at[string](to) = w.arena.AllocBytesToString(src)
	return true
}

func decodeBytes(w *way, src []byte, to pointer) bool {
	*at[[]byte](to) = arena.CloneSlice(w.arena, src)
	return true
}

func decodeBool(w *way, src []byte, to pointer) bool {
	if len(src) != 1 {
		return false
	}
	*at[bool](to) = src[0] == 1
	return true
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// intDecoder returns the decoder of int2, int4 and int8 for variables of a kind.
func intDecoder(k reflect.Kind) decoder {
	switch k {
	case reflect.Int:
		return decodeInt[int]
	case reflect.Int8:
		return decodeInt[int8]
	case reflect.Int16:
		return decodeInt[int16]
	case reflect.Int32:
		return decodeInt[int32]
	case reflect.Int64:
		return decodeInt[int64]
	case reflect.Uint:
		return decodeInt[uint]
	case reflect.Uint8:
		return decodeInt[uint8]
	case reflect.Uint16:
		return decodeInt[uint16]
	case reflect.Uint32:
		return decodeInt[uint32]
	case reflect.Uint64:
		return decodeInt[uint64]
	}
	return nil
}

func decodeInt[T integer](w *way, src []byte, to pointer) bool {
	if len(src) != w.size {
		return false
	}
	var v int64
	switch w.size {
	case 2:
		v = int64(int16(binary.BigEndian.Uint16(src)))
	case 4:
		v = int64(int32(binary.BigEndian.Uint32(src)))
	default:
		v = int64(binary.BigEndian.Uint64(src))
	}
	return storeInt[T](v, to)
}

// storeInt stores v where a T can hold it.
func storeInt[T integer](v int64, to pointer) bool {
	t := T(v)
	if int64(t) != v || (t < 0) != (v < 0) {
		return false
	}
	*at[T](to) = t
	return true
}

func decodeFloat4(w *way, src []byte, to pointer) bool {
	if len(src) != 4 {
		return false
	}
	*at[float32](to) = math.Float32frombits(binary.BigEndian.Uint32(src))
	return true
}

func decodeFloat4To8(w *way, src []byte, to pointer) bool {
	if len(src) != 4 {
		return false
	}
	*at[float64](to) = float64(math.Float32frombits(binary.BigEndian.Uint32(src)))
	return true
}

func decodeFloat8(w *way, src []byte, to pointer) bool {
	if len(src) != 8 {
		return false
	}
	*at[float64](to) = math.Float64frombits(binary.BigEndian.Uint64(src))
	return true
}

func decodeUUID(w *way, src []byte, to pointer) bool {
	return len(src) == 16 && copy(at[[16]byte](to)[:], src) == 16
}

func decodeUUIDToText(w *way, src []byte, to pointer) bool {
	if len(src) != 16 {
		return false
	}
	const digits = "0123456789abcdef"
	var text [36]byte
	n := 0
	for i, b := range src {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text[n] = '-'
			n++
		}
		text[n], text[n+1] = digits[b>>4], digits[b&15]
		n += 2
	}
	*at[string](to) = w.arena.AllocBytesToString(text[:])
	return true
}

const (
	epochSeconds = 946684800          // of 2000-01-01, from which PostgreSQL counts
	leastSeconds = -50 * epochSeconds // what is decoded here is near enough to today that
	mostSeconds  = 100 * epochSeconds // no limit of PostgreSQL or pgx is near; so no infinity either
	epochDays    = epochSeconds / 86400
	micros       = 1_000_000
)

// moment returns the time at so many microseconds after 2000-01-01.
func moment(src []byte) (t time.Time, ok bool) {
	if len(src) != 8 {
		return t, false
	}
	us := int64(binary.BigEndian.Uint64(src))
	if us < leastSeconds*micros || us > mostSeconds*micros {
		return t, false
	}
	return time.Unix(epochSeconds+us/micros, us%micros*1000), true
}

func decodeTimestamptz(w *way, src []byte, to pointer) bool {
	t, ok := moment(src)
	if ok {
		*at[time.Time](to) = t
	}
	return ok
}

func decodeTimestamp(w *way, src []byte, to pointer) bool {
	t, ok := moment(src)
	if ok {
		*at[time.Time](to) = t.UTC()
	}
	return ok
}

func decodeDate(w *way, src []byte, to pointer) bool {
	if len(src) != 4 {
		return false
	}
	days := int64(int32(binary.BigEndian.Uint32(src)))
	if days < leastSeconds/86400 || days > mostSeconds/86400 {
		return false
	}
	*at[time.Time](to) = time.Unix((epochDays+days)*86400, 0).UTC()
	return true
}

// decodeJSON reads src as pgx has encoding/json do it. A document that does not fit is
// read once more there, which says what is wrong.
func decodeJSON(w *way, src []byte, to pointer) bool {
	if w.shape.ptr && string(src) == "null" {
		return false // pgx makes a nil pointer of it
	}
	v := value(w.shape.value, to)
	v.SetZero()
	err := arenajson.Unmarshal(w.arena, src, v.Addr().Interface())
	if err == nil {
		return true
	}
	var over *arena.LimitError
	if errors.As(err, &over) {
		panic(over)
	}
	return false
}

func decodeJSONB(w *way, src []byte, to pointer) bool {
	return len(src) > 0 && src[0] == 1 && decodeJSON(w, src[1:], to)
}

// decodeComposite reads the attributes of a composite value, each with its type and size.
func decodeComposite(w *way, src []byte, to pointer) bool {
	if len(src) < 4 || binary.BigEndian.Uint32(src) != uint32(len(w.fields)) {
		return false
	}
	src = src[4:]
	for i := range w.fields {
		c := &w.fields[i]
		if len(src) < 8 || binary.BigEndian.Uint32(src) != c.way.oid {
			return false
		}
		one, rest, ok := cut(src[4:])
		if !ok || c.way.scan(one, field(to, c.offset)) != nil {
			return false
		}
		src = rest
	}
	return len(src) == 0
}

// cut takes a value with its size from src: nil if that is NULL.
func cut(src []byte) (one, rest []byte, ok bool) {
	if len(src) < 4 {
		return nil, nil, false
	}
	size := int(int32(binary.BigEndian.Uint32(src)))
	src = src[4:]
	if size == -1 {
		return nil, src, true
	}
	if size < 0 || size > len(src) {
		return nil, nil, false
	}
	return src[:size:size], src[size:], true
}

// decodeArray reads an array of one dimension, or none, which is empty.
func decodeArray(w *way, src []byte, to pointer) bool {
	if len(src) < 12 || binary.BigEndian.Uint32(src[8:]) != w.elem.oid {
		return false
	}
	n := 0
	switch binary.BigEndian.Uint32(src) {
	case 0:
		src = src[12:]
	case 1:
		if len(src) < 20 {
			return false
		}
		n = int(int32(binary.BigEndian.Uint32(src[12:])))
		src = src[20:]
	default:
		return false
	}
	elem := w.shape.elem.mem
	if n < 0 || n > min(len(src)/4, elem.Most()) {
		return false
	}
	s := w.makeSlice(elem, n)
	for i := range n {
		one, rest, ok := cut(src)
		if !ok {
			return false
		}
		src = rest
		if w.elem.scan(one, field(s.Data, uintptr(i)*elem.Size)) != nil {
			return false
		}
	}
	if len(src) != 0 {
		return false
	}
	if !machine.LayoutOK {
		value(w.shape.value, to).Set(reflect.SliceAt(elem.Reflect, s.Data, n))
	} else {
		*at[machine.Slice](to) = s
	}
	return true
}

// makeSlice returns n zero elements.
func (w *way) makeSlice(elem *machine.Type, n int) machine.Slice {
	if w.arena == nil {
		return machine.Slice{Data: reflect.MakeSlice(w.shape.value, n, n).UnsafePointer(), Len: n, Cap: n}
	}
	r := machine.Enter(w.arena, "arenapgx.Collect")
	defer r.Leave()
	return machine.MakeSliceOfType(r, elem, n, n)
}
