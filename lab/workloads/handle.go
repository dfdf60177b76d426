package workloads

import (
	"bytes"
	"errors"
	"sync"

	"github.com/go-faster/jx"
)

// ErrPayload tells that a payload has no line end after the log line.
var ErrPayload = errors.New("workloads: payload has no line end")

// summaryRoom is the room the answer is given at first: the generator's
// longest answer and some. A longer one grows on the Go heap.
const summaryRoom = 512

// Handle serves one request: payload is an access-log line, '\n' and a JSON
// document. Every object, string and buffer comes from m. The answer is
// appended to dst, which is the caller's, as a response body is the server's.
func Handle(m Memory, dst, payload []byte) ([]byte, error) {
	e, err := Decode(m, payload)
	if err != nil {
		return dst, err
	}
	return append(dst, summary(m, e)...), nil
}

// Decode builds the Event of a payload in m.
func Decode(m Memory, payload []byte) (*Event, error) {
	end := bytes.IndexByte(payload, '\n')
	if end < 0 {
		return nil, ErrPayload
	}
	e := m.NewEvent()
	if err := parseLine(m, &e.Line, payload[:end]); err != nil {
		return nil, err
	}
	e.Fields = parseQuery(m, e.Fields, e.Line.Query)
	if err := parseBody(m, e, payload[end+1:]); err != nil {
		return nil, err
	}
	return e, nil
}

// summary writes the answer. It reads every object the request built, so that
// an object that was recycled too early shows in the checksum of the answers.
func summary(m Memory, e *Event) []byte {
	var qty, total, digest int64
	for i := range e.Items {
		it := &e.Items[i]
		qty += it.Qty
		digest = mix(mix(digest, it.SKU), it.Title)
		if it.Price != nil {
			total += it.Qty * it.Price.Amount
			digest = mix(digest, it.Price.Currency)
		}
		for _, tag := range it.Tags {
			digest = mix(digest, tag)
		}
	}
	for i := range e.Fields {
		digest = mix(mix(digest, e.Fields[i].Key), e.Fields[i].Value)
	}
	digest = mix(mix(digest, e.Session), e.Sent)
	digest = mix(mix(digest, e.Line.Agent), e.Line.Referer)
	digest = mix(mix(digest, e.Line.Method), e.Line.Proto)

	w := writers.Get().(*jx.Writer)
	w.Buf = m.Buffer(summaryRoom)
	w.RawStr(`{"id":`)
	w.Str(e.ID)
	w.RawStr(`,"ip":`)
	w.Str(e.Line.IP)
	w.RawStr(`,"at":`)
	w.Int64(e.Line.Unix)
	w.RawStr(`,"path":`)
	w.Str(e.Line.Path)
	w.RawStr(`,"status":`)
	w.Int64(e.Line.Status)
	w.RawStr(`,"bytes":`)
	w.Int64(e.Line.Bytes)
	if u := e.User; u != nil {
		digest = mix(digest, u.Email)
		w.RawStr(`,"user":`)
		w.Str(u.Name)
		if a := u.Address; a != nil {
			digest = mix(mix(mix(digest, a.Street), a.City), a.Zip)
			w.RawStr(`,"country":`)
			w.Str(a.Country)
		}
	}
	if d := e.Device; d != nil {
		digest = mix(digest, d.Browser) + d.Width*d.Height
		w.RawStr(`,"os":`)
		w.Str(d.OS)
	}
	w.RawStr(`,"items":`)
	w.Int(len(e.Items))
	w.RawStr(`,"qty":`)
	w.Int64(qty)
	w.RawStr(`,"total":`)
	w.Int64(total)
	w.RawStr(`,"fields":`)
	w.Int(len(e.Fields))
	w.RawStr(`,"digest":`)
	w.Int64(digest)
	w.RawStr("}\n")
	out := w.Buf
	w.Buf = nil
	writers.Put(w)
	return out
}

// writers spares the one object that the JSON writer itself would cost per
// request; like the decoders, they are the same for every subject.
var writers = sync.Pool{New: func() any { return new(jx.Writer) }}

// mix folds a string's length and both its ends into h: enough to notice
// memory that another request wrote to, too little to be the measured work.
func mix(h int64, s string) int64 {
	h = (h<<5 | int64(uint64(h)>>59)) ^ int64(len(s))
	if n := len(s); n > 0 {
		h ^= int64(s[0])<<8 | int64(s[n/2])<<16 | int64(s[n-1])<<24
	}
	return h
}
