package advice

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ebbpool/arena"
)

// message is a DNS message with questions and answers.
type message struct {
	id, flags uint16
	questions []*question
	answers   []resource
}

type question struct {
	name        string
	kind, class uint16
}

// resource is an *address, an *alias or an *opaque.
type resource interface {
	head() *header
	appendData(dst []byte) []byte
}

type header struct {
	name        string
	kind, class uint16
	ttl         uint32
}

type (
	address struct {
		header
		ip []byte
	}
	alias struct {
		header
		target string
	}
	opaque struct {
		header
		data []byte
	}
)

func (h *header) head() *header { return h }

func (r *address) appendData(dst []byte) []byte { return append(dst, r.ip...) }
func (r *alias) appendData(dst []byte) []byte   { return appendName(dst, r.target) }
func (r *opaque) appendData(dst []byte) []byte  { return append(dst, r.data...) }

// appendName appends the labels of a name, each preceded by its length.
func appendName(dst []byte, name string) []byte {
	for len(name) > 0 {
		var label string
		label, name, _ = strings.Cut(name, ".")
		dst = append(append(dst, byte(len(label))), label...)
	}
	return append(dst, 0)
}

func decodeMessage(data []byte) *message {
	m := &message{id: binary.BigEndian.Uint16(data), flags: binary.BigEndian.Uint16(data[2:])}
	questions, answers := binary.BigEndian.Uint16(data[4:]), binary.BigEndian.Uint16(data[6:])
	at := 12
	for range questions {
		q := &question{}
		q.name, at = decodeName(data, at)
		q.kind, q.class = binary.BigEndian.Uint16(data[at:]), binary.BigEndian.Uint16(data[at+2:])
		at += 4
		m.questions = append(m.questions, q)
	}
	for range answers {
		h := header{}
		h.name, at = decodeName(data, at)
		h.kind, h.class, h.ttl = binary.BigEndian.Uint16(data[at:]), binary.BigEndian.Uint16(data[at+2:]), binary.BigEndian.Uint32(data[at+4:])
		n := int(binary.BigEndian.Uint16(data[at+8:]))
		at += 10
		switch h.kind {
		case 1, 28:
			r := &address{header: h, ip: make([]byte, n)}
			copy(r.ip, data[at:])
			m.answers = append(m.answers, r)
		case 5:
			r := &alias{header: h}
			r.target, _ = decodeName(data, at)
			m.answers = append(m.answers, r)
		default:
			r := &opaque{header: h}
			r.data = append(r.data, data[at:at+n]...)
			m.answers = append(m.answers, r)
		}
		at += n
	}
	return m
}

// decodeName reads the labels of a name, which end with an empty label or with a pointer to the rest.
func decodeName(data []byte, at int) (name string, end int) {
	var b strings.Builder
	for {
		n := int(data[at])
		at++
		switch {
		case n == 0:
			if end == 0 {
				end = at
			}
			return b.String(), end
		case n >= 0xc0:
			if end == 0 {
				end = at + 1
			}
			at = (n&0x3f)<<8 | int(data[at])
		default:
			b.Write(data[at : at+n])
			b.WriteByte('.')
			at += n
		}
	}
}

func encodeMessage(m *message) []byte {
	var out []byte
	out = appendHeader(out, m)
	for _, q := range m.questions {
		out = appendName(out, q.name)
		out = binary.BigEndian.AppendUint16(out, q.kind)
		out = binary.BigEndian.AppendUint16(out, q.class)
	}
	for _, r := range m.answers {
		h := r.head()
		out = appendName(out, h.name)
		out = binary.BigEndian.AppendUint16(out, h.kind)
		out = binary.BigEndian.AppendUint16(out, h.class)
		out = binary.BigEndian.AppendUint32(out, h.ttl)
		from := len(out)
		out = r.appendData(append(out, 0, 0))
		binary.BigEndian.PutUint16(out[from:], uint16(len(out)-from-2))
	}
	return out
}

func appendHeader(dst []byte, m *message) []byte {
	for _, n := range []uint16{m.id, m.flags, uint16(len(m.questions)), uint16(len(m.answers)), 0, 0} {
		dst = binary.BigEndian.AppendUint16(dst, n)
	}
	return dst
}

func newDNS() (inputs [][]byte, plain Serve, inArena func(*arena.Arena, []byte) uint64) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 40 {
		name := fmt.Sprintf("www%d.shop.example.com.", i)
		m := &message{id: uint16(i), questions: []*question{{name, 1, 1}}}
		for k := range 2 + rng.IntN(8) {
			h := header{name: name, class: 1, ttl: uint32(rng.IntN(1e6))}
			switch k % 4 {
			case 0:
				h.kind = 5
				m.answers = append(m.answers, &alias{h, fmt.Sprintf("edge%d.cdn.example.net.", k)})
			case 3:
				h.kind = 16
				m.answers = append(m.answers, &opaque{h, []byte("v=spf1 include:example.com ~all")})
			default:
				h.kind = 1
				m.answers = append(m.answers, &address{h, []byte{192, 0, 2, byte(k)}})
			}
		}
		inputs = append(inputs, encodeMessage(m))
	}
	return inputs, func(b []byte) uint64 { return sumOf(encodeMessage(decodeMessage(b))) }, dnsIn
}
