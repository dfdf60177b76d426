package arenajson

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/ebbpool/arena"
)

// Decoder reads a stream of JSON documents, as encoding/json's Decoder does. It must
// not be used after the arena's life has ended, but for one whose arena is nil.
type Decoder struct {
	a       *arena.Arena
	options decoder
	stream  *json.Decoder // finds where documents end
	raw     json.RawMessage
}

// NewDecoder returns a Decoder that reads from r, and makes what it reads in a, or on
// the heap if a is nil. It reads ahead, and keeps what it has read on the heap.
func NewDecoder(a *arena.Arena, r io.Reader, opts ...Option) *Decoder {
	d := &Decoder{a: a, stream: json.NewDecoder(r)}
	d.options.set(opts)
	return d
}

// Decode reads the next document into what v points to, as Unmarshal does. At the
// stream's end it returns io.EOF.
func (d *Decoder) Decode(v any) error {
	before := d.stream.InputOffset()
	d.raw = d.raw[:0]
	if err := d.stream.Decode(&d.raw); err != nil {
		return err
	}
	x := d.options
	x.a = d.a
	err := x.unmarshal(d.raw, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		// Its offset counts from where the document before ended.
		wrong.Offset += d.stream.InputOffset() - before - int64(len(d.raw))
	}
	return err
}

// More says whether there is another document.
func (d *Decoder) More() bool { return d.stream.More() }
