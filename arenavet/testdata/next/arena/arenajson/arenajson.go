// Package arenajson has the signatures of the package of that name.
package arenajson

import (
	"encoding/json"
	"io"

	"github.com/ebbpool/arena"
)

type Option func()

type Decoder struct{ d *json.Decoder }

func Marshal(a *arena.Arena, v any, opts ...Option) ([]byte, error) { return json.Marshal(v) }

func MarshalWrite(a *arena.Arena, w io.Writer, v any, opts ...Option) error {
	return json.NewEncoder(w).Encode(v)
}

func Unmarshal(a *arena.Arena, data []byte, v any, opts ...Option) error {
	return json.Unmarshal(data, v)
}

func UnmarshalRead(a *arena.Arena, r io.Reader, v any, opts ...Option) error {
	return json.NewDecoder(r).Decode(v)
}

func NewDecoder(a *arena.Arena, r io.Reader, opts ...Option) *Decoder {
	return &Decoder{json.NewDecoder(r)}
}

func (d *Decoder) Decode(v any) error { return d.d.Decode(v) }

func (d *Decoder) More() bool { return d.d.More() }
