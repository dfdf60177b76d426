package arenapb

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/xunsafe"
)

// An element is how values of a length-delimited type are decoded and encoded. It is not an interface, so
// that decoders and encoders stay on the stack.
type element struct {
	kind    elementKind
	pointer bool           // the variable is a pointer; nil means no value
	message *structMessage // of a struct with tags
	typ     reflect.Type   // of the value
	mem     *machine.Type  // of the value
}

type elementKind uint8

const (
	noElement elementKind = iota
	messageElement
	customElement
	timeElement
	durationElement
)

// read decodes the document from i to end into the variable at to.
func (x *element) read(d *decoder, to xunsafe.Pointer, i, end int) {
	if x.pointer {
		p := xunsafe.Cast[xunsafe.Pointer](to)
		if *p == nil {
			*p = machine.NewOfType(d.r, x.mem)
		}
		to = *p
	}
	switch x.kind {
	case messageElement:
		d.message(x.message.p, to, i, end, 0)
	case customElement:
		var err error
		d.outside(func() { err = x.custom(to).Unmarshal(d.view(i, end)) })
		if err != nil {
			fail(err)
		}
	default:
		d.seconds(x.kind, to, i, end)
	}
}

// value returns the value of the variable at at, or nil.
func (x *element) value(at xunsafe.Pointer) xunsafe.Pointer {
	if x.pointer {
		return *xunsafe.Cast[xunsafe.Pointer](at)
	}
	return at
}

// size returns the encoded size of the value in the variable at at, or 0 if there is none.
func (x *element) size(e *encoder, at xunsafe.Pointer) int {
	if at = x.value(at); at == nil {
		return 0
	}
	switch x.kind {
	case messageElement:
		return e.size(x.message.w, at)
	case customElement:
		return x.custom(at).Size()
	}
	return secondsSize(x.kind, at)
}

// write encodes the value in the variable at at so that it ends at i, and returns where it begins.
func (x *element) write(e *encoder, at xunsafe.Pointer, i int) int {
	if at = x.value(at); at == nil {
		return i
	}
	switch x.kind {
	case messageElement:
		return e.message(x.message.w, at, i)
	case customElement:
		v := x.custom(at)
		n := v.Size()
		e.room(n, i)
		wrote, err := v.MarshalTo(e.b[i-n : i : i])
		if err != nil {
			fail(err)
		}
		if wrote != n {
			fail(fmt.Errorf("%v: MarshalTo wrote %d bytes, and Size is %d", x.typ, wrote, n))
		}
		return i - n
	}
	return e.seconds(x.kind, at, i)
}

// custom is the interface of pointers to gogo's custom types.
type custom interface {
	Size() int
	MarshalTo(data []byte) (int, error)
	Unmarshal(data []byte) error
}

func (x *element) custom(at xunsafe.Pointer) custom { return messageAt(x.typ, at).(custom) }

// The years 1 to 9999, and 10,000 years.
const (
	leastSeconds    = -62135596800
	beyondSeconds   = 253402300800
	mostDurationSec = 315576000000
)

// seconds decodes the messages Timestamp and Duration.
func (d *decoder) seconds(kind elementKind, to xunsafe.Pointer, i, end int) {
	var sec, nanos int64
	for i < end {
		tag, next := d.varint(i)
		num, wire := tag>>3, protowire.Type(tag&7)
		if next > end || num == 0 || num > uint64(protowire.MaxValidNumber) {
			fail(errDecode)
		}
		if num <= 2 && wire == protowire.VarintType {
			var v uint64
			if v, i = d.varint(next); i > end {
				fail(errDecode)
			}
			if num == 1 {
				sec = int64(v)
			} else {
				nanos = int64(int32(v))
			}
			continue
		}
		n := protowire.ConsumeFieldValue(protowire.Number(num), wire, d.view(next, end))
		if n < 0 {
			fail(errDecode)
		}
		i = next + n
	}
	if kind == timeElement {
		if sec < leastSeconds || sec >= beyondSeconds || nanos < 0 || nanos >= 1e9 {
			fail(fmt.Errorf("timestamp of %d s and %d ns out of range", sec, nanos))
		}
		*xunsafe.Cast[time.Time](to) = time.Unix(sec, nanos).UTC()
		return
	}
	const most = math.MaxInt64 / int64(time.Second)
	total := sec*int64(time.Second) + nanos
	if sec < -mostDurationSec || sec > mostDurationSec || nanos <= -1e9 || nanos >= 1e9 || sec < 0 && nanos > 0 || sec > 0 && nanos < 0 ||
		sec > most || sec < -most || sec > 0 && total < 0 || sec < 0 && total > 0 {
		fail(fmt.Errorf("duration of %d s and %d ns out of range", sec, nanos))
	}
	*xunsafe.Cast[time.Duration](to) = time.Duration(total)
}

// secondsOf returns the fields of the message for the time or duration at at.
func secondsOf(kind elementKind, at xunsafe.Pointer) (sec, nanos int64) {
	if kind == durationElement {
		v := int64(*xunsafe.Cast[time.Duration](at))
		return v / int64(time.Second), v % int64(time.Second)
	}
	t := *xunsafe.Cast[time.Time](at)
	if sec = t.Unix(); sec < leastSeconds || sec >= beyondSeconds {
		fail(fmt.Errorf("timestamp %v out of range", t))
	}
	return sec, int64(t.Nanosecond())
}

func secondsSize(kind elementKind, at xunsafe.Pointer) (n int) {
	sec, nanos := secondsOf(kind, at)
	if sec != 0 {
		n = 1 + protowire.SizeVarint(uint64(sec))
	}
	if nanos != 0 {
		n += 1 + protowire.SizeVarint(uint64(nanos))
	}
	return n
}

// seconds encodes the message for the time or duration at at.
func (e *encoder) seconds(kind elementKind, at xunsafe.Pointer, i int) int {
	sec, nanos := secondsOf(kind, at)
	if nanos != 0 {
		i = e.varint(uint64(nanos), i) - 1
		e.b[i] = 2 << 3
	}
	if sec != 0 {
		i = e.varint(uint64(sec), i) - 1
		e.b[i] = 1 << 3
	}
	return i
}
