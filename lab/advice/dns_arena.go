package advice

import (
	"encoding/binary"
	"strings"

	"github.com/ebbpool/arena"
)

func dnsIn(a *arena.Arena, b []byte) uint64 {
	return sumOf(encodeMessageIn(a, decodeMessageIn(a, b)))
}

func decodeMessageIn(a *arena.Arena, data []byte) *message {
	m := arena.NewOf(a, message{id: binary.BigEndian.Uint16(data), flags: binary.BigEndian.Uint16(data[2:])})
	questions, answers := binary.BigEndian.Uint16(data[4:]), binary.BigEndian.Uint16(data[6:])
	at := 12
	for range questions {
		q := arena.New[question](a)
		q.name, at = decodeNameIn(a, data, at)
		q.kind, q.class = binary.BigEndian.Uint16(data[at:]), binary.BigEndian.Uint16(data[at+2:])
		at += 4
		m.questions = arena.Append(a, m.questions, q)
	}
	for range answers {
		h := header{}
		h.name, at = decodeNameIn(a, data, at)
		h.kind, h.class, h.ttl = binary.BigEndian.Uint16(data[at:]), binary.BigEndian.Uint16(data[at+2:]), binary.BigEndian.Uint32(data[at+4:])
		n := int(binary.BigEndian.Uint16(data[at+8:]))
		at += 10
		switch h.kind {
		case 1, 28:
			r := arena.NewOf(a, address{header: h, ip: arena.MakeSlice[byte](a, n, n)})
			copy(r.ip, data[at:])
			m.answers = arena.Append(a, m.answers, resource(r))
		case 5:
			r := arena.NewOf(a, alias{header: h})
			r.target, _ = decodeNameIn(a, data, at)
			m.answers = arena.Append(a, m.answers, resource(r))
		default:
			r := arena.NewOf(a, opaque{header: h})
			r.data = arena.Append(a, r.data, data[at:at+n]...)
			m.answers = arena.Append(a, m.answers, resource(r))
		}
		at += n
	}
	return m
}

func decodeNameIn(a *arena.Arena, data []byte, at int) (name string, end int) {
	b := arena.NewBuffer(a, 0)
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

// encodeMessageIn writes to a Buffer what encodeMessage appends to a slice.
func encodeMessageIn(a *arena.Arena, m *message) []byte {
	out := arena.NewBuffer(a, 0)
	for _, n := range [...]uint16{m.id, m.flags, uint16(len(m.questions)), uint16(len(m.answers)), 0, 0} {
		write16(out, n)
	}
	for _, q := range m.questions {
		writeName(out, q.name)
		write16(out, q.kind)
		write16(out, q.class)
	}
	for _, r := range m.answers {
		h := r.head()
		writeName(out, h.name)
		write16(out, h.kind)
		write16(out, h.class)
		write16(out, uint16(h.ttl>>16))
		write16(out, uint16(h.ttl))
		from := out.Len()
		write16(out, 0)
		switch r := r.(type) {
		case *address:
			out.Write(r.ip)
		case *alias:
			writeName(out, r.target)
		case *opaque:
			out.Write(r.data)
		}
		binary.BigEndian.PutUint16(out.Bytes()[from:], uint16(out.Len()-from-2))
	}
	return out.Bytes()
}

func write16(out *arena.Buffer, n uint16) {
	out.WriteByte(byte(n >> 8))
	out.WriteByte(byte(n))
}

func writeName(out *arena.Buffer, name string) {
	for len(name) > 0 {
		var label string
		label, name, _ = strings.Cut(name, ".")
		out.WriteByte(byte(len(label)))
		out.WriteString(label)
	}
	out.WriteByte(0)
}
