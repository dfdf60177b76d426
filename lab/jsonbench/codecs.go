// Package jsonbench measures arenajson beside the JSON codecs that Go programs use:
// time and allocations of decoding and encoding the same documents, with checksums
// that must agree.
package jsonbench

import (
	"encoding/json"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"
	"github.com/mailru/easyjson"
	segmentio "github.com/segmentio/encoding/json"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/ebbpool/arena/lab/jsonbench/easy"
)

// Ours is the name of the codec that the others are compared with.
const Ours = "arenajson"

// Codec is one of what is compared. Those that know nothing of arenas ignore it.
type Codec struct {
	Name   string
	Decode func(a *arena.Arena, doc []byte, v any) error
	Encode func(a *arena.Arena, v any) ([]byte, error)
	Types  map[string]func() any // what it has code for; nil: it takes any type
}

// standard is the name of the standard library's.
const standard = "encoding/json"

func plain(name string, decode func([]byte, any) error, encode func(any) ([]byte, error)) Codec {
	return Codec{
		Name:   name,
		Decode: func(_ *arena.Arena, doc []byte, v any) error { return decode(doc, v) },
		Encode: func(_ *arena.Arena, v any) ([]byte, error) { return encode(v) },
	}
}

// Codecs are all of them, ours first; easyjson if its code has been generated.
func Codecs() []Codec {
	all := []Codec{
		{Name: Ours, Decode: decode, Encode: func(a *arena.Arena, v any) ([]byte, error) { return arenajson.Marshal(a, v) }},
		plain(standard, json.Unmarshal, json.Marshal),
		v2,
		plain("sonic", sonic.ConfigDefault.Unmarshal, sonic.ConfigDefault.Marshal),
		plain("sonic ConfigStd", sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal),
		plain("goccy/go-json", goccy.Unmarshal, goccy.Marshal),
		plain("jsoniter", jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal, jsoniter.ConfigCompatibleWithStandardLibrary.Marshal),
		plain("segmentio", func(doc []byte, v any) error { return segmentio.Unmarshal(doc, v) }, segmentio.Marshal),
	}
	if len(easy.Types) > 0 {
		generated := plain("easyjson",
			func(doc []byte, v any) error { return easyjson.Unmarshal(doc, v.(easyjson.Unmarshaler)) },
			func(v any) ([]byte, error) { return easyjson.Marshal(v.(easyjson.Marshaler)) })
		generated.Types = easy.Types
		all = append(all, generated)
	}
	return all
}
