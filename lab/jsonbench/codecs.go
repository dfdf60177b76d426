// Package jsonbench compares arenajson with the JSON codecs that Go programs use: time and allocations of
// decoding and encoding the same documents, with results that must agree.
package jsonbench

import (
	"encoding/json"
	"io"
	"maps"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"
	"github.com/mailru/easyjson"
	segmentio "github.com/segmentio/encoding/json"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/lab/jsonbench/easy"
)

// Ours is the name of our codec.
const Ours = "arenajson"

// Codec is a codec to compare. Other codecs ignore the arena.
type Codec struct {
	Name   string
	Decode func(a *arena.Arena, doc []byte, v any) error
	Encode func(a *arena.Arena, v any) ([]byte, error)
	Types  map[string]func() any // types with generated code, or rows; nil means any type

	Stream func(a *arena.Arena, r io.Reader) decoder // nil if it has none like the standard library's
}

// decoder reads documents from a stream.
type decoder interface {
	Decode(v any) error
	More() bool
}

// standard is the name of the standard library's codec.
const standard = "encoding/json"

func plain(name string, decode func([]byte, any) error, encode func(any) ([]byte, error)) Codec {
	return Codec{
		Name:   name,
		Decode: func(_ *arena.Arena, doc []byte, v any) error { return decode(doc, v) },
		Encode: func(_ *arena.Arena, v any) ([]byte, error) { return encode(v) },
	}
}

func (c Codec) streams(open func(io.Reader) decoder) Codec {
	c.Stream = func(_ *arena.Arena, r io.Reader) decoder { return open(r) }
	return c
}

// Codecs returns all codecs, ours first; easyjson only if its code has been generated.
func Codecs() []Codec {
	all := []Codec{
		{Name: Ours,
			Decode: func(a *arena.Arena, doc []byte, v any) error { return arenajson.Unmarshal(a, doc, v) },
			Encode: func(a *arena.Arena, v any) ([]byte, error) { return arenajson.Marshal(a, v) },
			Stream: func(a *arena.Arena, r io.Reader) decoder { return arenajson.NewDecoder(a, r) }},
		plain(standard, json.Unmarshal, json.Marshal).streams(func(r io.Reader) decoder { return json.NewDecoder(r) }),
		v2,
		plain("sonic", sonic.ConfigDefault.Unmarshal, sonic.ConfigDefault.Marshal).streams(func(r io.Reader) decoder { return sonic.ConfigDefault.NewDecoder(r) }),
		plain("sonic ConfigStd", sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal),
		plain("goccy/go-json", goccy.Unmarshal, goccy.Marshal).streams(func(r io.Reader) decoder { return goccy.NewDecoder(r) }),
		plain("jsoniter", jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal, jsoniter.ConfigCompatibleWithStandardLibrary.Marshal).
			streams(func(r io.Reader) decoder { return jsoniter.ConfigCompatibleWithStandardLibrary.NewDecoder(r) }),
		plain("segmentio", func(doc []byte, v any) error { return segmentio.Unmarshal(doc, v) }, segmentio.Marshal),
	}
	all = append(all, Codec{
		Name: Ours + " arena.Map",
		Decode: func(a *arena.Arena, doc []byte, v any) error {
			return arenajson.Unmarshal(a, doc, &v.(*arenaMap).m)
		},
		Types: map[string]func() any{"map_1000": func() any { return new(arenaMap) }},
	})
	if len(easy.Types) > 0 {
		generated := plain("easyjson",
			func(doc []byte, v any) error { return easyjson.Unmarshal(doc, v.(easyjson.Unmarshaler)) },
			func(v any) ([]byte, error) { return easyjson.Marshal(v.(easyjson.Marshaler)) })
		generated.Types = easy.Types
		all = append(all, generated)
	}
	return all
}

// arenaMap is in an arena. encoding/json reads and writes it as a builtin map.
type arenaMap struct{ m *arena.Map[string, string] }

func (x *arenaMap) UnmarshalJSON(text []byte) error {
	var m map[string]string
	err := json.Unmarshal(text, &m)
	x.m = arena.NewMap[string, string](nil, len(m))
	for k, v := range m {
		x.m.Set(k, v)
	}
	return err
}

func (x *arenaMap) MarshalJSON() ([]byte, error) { return json.Marshal(maps.Collect(x.m.All())) }
