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

// The decoders of the binary format. Each leaves unknown and malformed values to pgx.

func decodeText(d *decoder, src []byte, to pointer) bool {
	*at[string](to) = d.arena.AllocBytesToString(src)
	return true
}

func decodeBytes(d *decoder, src []byte, to pointer) bool {
	*at[[]byte](to) = arena.CloneSlice(d.arena, src)
	return true
}

func decodeBool(d *decoder, src []byte, to pointer) bool {
	if len(src) != 1 {
		return false
	}
	*at[bool](to) = src[0] == 1
	return true
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// intDecoder returns the decodeFunc of int2, int4 and int8 for variables of a kind.
func intDecoder(k reflect.Kind) decodeFunc {
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

func decodeInt[T integer](d *decoder, src []byte, to pointer) bool {
	if len(src) != d.size {
		return false
	}
	var v int64
	switch d.size {
	case 2:
		v = int64(int16(binary.BigEndian.Uint16(src)))
	case 4:
		v = int64(int32(binary.BigEndian.Uint32(src)))
	default:
		v = int64(binary.BigEndian.Uint64(src))
	}
	return storeInt[T](v, to)
}

// storeInt stores v if it fits a T.
func storeInt[T integer](v int64, to pointer) bool {
	t := T(v)
	if int64(t) != v || (t < 0) != (v < 0) {
		return false
	}
	*at[T](to) = t
	return true
}

func decodeFloat4(d *decoder, src []byte, to pointer) bool {
	if len(src) != 4 {
		return false
	}
	*at[float32](to) = math.Float32frombits(binary.BigEndian.Uint32(src))
	return true
}

func decodeFloat4To8(d *decoder, src []byte, to pointer) bool {
	if len(src) != 4 {
		return false
	}
	*at[float64](to) = float64(math.Float32frombits(binary.BigEndian.Uint32(src)))
	return true
}

func decodeFloat8(d *decoder, src []byte, to pointer) bool {
	if len(src) != 8 {
		return false
	}
	*at[float64](to) = math.Float64frombits(binary.BigEndian.Uint64(src))
	return true
}

func decodeUUID(d *decoder, src []byte, to pointer) bool {
	return len(src) == 16 && copy(at[[16]byte](to)[:], src) == 16
}

func decodeUUIDToText(d *decoder, src []byte, to pointer) bool {
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
	*at[string](to) = d.arena.AllocBytesToString(text[:])
	return true
}

const (
	epochSeconds = 946684800          // of 2000-01-01, PostgreSQL's epoch
	leastSeconds = -50 * epochSeconds // times outside these bounds, and infinities, are left to pgx
	mostSeconds  = 100 * epochSeconds
	epochDays    = epochSeconds / 86400
	micros       = 1_000_000
)

// moment decodes microseconds since 2000-01-01.
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

func decodeTimestamptz(d *decoder, src []byte, to pointer) bool {
	t, ok := moment(src)
	if ok {
		*at[time.Time](to) = t
	}
	return ok
}

func decodeTimestamp(d *decoder, src []byte, to pointer) bool {
	t, ok := moment(src)
	if ok {
		*at[time.Time](to) = t.UTC()
	}
	return ok
}

func decodeDate(d *decoder, src []byte, to pointer) bool {
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

// decodeJSON decodes src like encoding/json, which pgx uses. If that fails, pgx decodes the document again
// and returns the error.
func decodeJSON(d *decoder, src []byte, to pointer) bool {
	if d.target.ptr && string(src) == "null" {
		return false // a nil pointer in pgx
	}
	v := value(d.target.value, to)
	v.SetZero()
	err := arenajson.Unmarshal(d.arena, src, v.Addr().Interface())
	if err == nil {
		return true
	}
	var over *arena.LimitError
	if errors.As(err, &over) {
		panic(over)
	}
	return false
}

func decodeJSONB(d *decoder, src []byte, to pointer) bool {
	return len(src) > 0 && src[0] == 1 && decodeJSON(d, src[1:], to)
}

// decodeComposite reads the attributes of a composite value, each with its type and size.
func decodeComposite(d *decoder, src []byte, to pointer) bool {
	if len(src) < 4 || binary.BigEndian.Uint32(src) != uint32(len(d.fields)) {
		return false
	}
	src = src[4:]
	for i := range d.fields {
		c := &d.fields[i]
		if len(src) < 8 || binary.BigEndian.Uint32(src) != c.decoder.oid {
			return false
		}
		one, rest, ok := cut(src[4:])
		if !ok || c.decoder.scan(one, field(to, c.offset)) != nil {
			return false
		}
		src = rest
	}
	return len(src) == 0
}

// cut splits src after a value preceded by its size; one is nil for NULL.
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

// decodeArray decodes an array of one dimension, or an empty one, which has none.
func decodeArray(d *decoder, src []byte, to pointer) bool {
	if len(src) < 12 || binary.BigEndian.Uint32(src[8:]) != d.elem.oid {
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
	elem := d.target.elem.mem
	if n < 0 || n > min(len(src)/4, elem.Most()) {
		return false
	}
	s := d.makeSlice(elem, n)
	for i := range n {
		one, rest, ok := cut(src)
		if !ok {
			return false
		}
		src = rest
		if d.elem.scan(one, field(s.Data, uintptr(i)*elem.Size)) != nil {
			return false
		}
	}
	if len(src) != 0 {
		return false
	}
	if !machine.LayoutOK {
		value(d.target.value, to).Set(reflect.SliceAt(elem.Reflect, s.Data, n))
	} else {
		*at[machine.Slice](to) = s
	}
	return true
}

// makeSlice returns n zero elements.
func (d *decoder) makeSlice(elem *machine.Type, n int) machine.Slice {
	if d.arena == nil {
		return machine.Slice{Data: reflect.MakeSlice(d.target.value, n, n).UnsafePointer(), Len: n, Cap: n}
	}
	r := machine.Enter(d.arena, "arenapgx.Collect")
	defer r.Leave()
	return machine.MakeSliceOfType(r, elem, n, n)
}
