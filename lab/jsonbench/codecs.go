// Package jsonbench measures arenajson beside the JSON codecs that Go programs use:
// time and allocations of decoding and encoding the same documents, with checksums
// that must agree.
package jsonbench

import (
	"encoding/json"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"
	jsoniter "github.com/json-iterator/go"
	segmentio "github.com/segmentio/encoding/json"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// Ours is the name of the codec that the others are compared with.
const Ours = "arenajson"

// Codec is one of what is compared. Those that know nothing of arenas ignore it.
type Codec struct {
	Name   string
	Decode func(a *arena.Arena, doc []byte, v any) error
	Encode func(a *arena.Arena, v any) ([]byte, error)
}

func plain(name string, decode func([]byte, any) error, encode func(any) ([]byte, error)) Codec {
	return Codec{
		name,
		func(_ *arena.Arena, doc []byte, v any) error { return decode(doc, v) },
		func(_ *arena.Arena, v any) ([]byte, error) { return encode(v) },
	}
}

// Codecs are all of them, ours first. easyjson is left out: it needs code that is
// generated for each type, so it can't decode the types of others that these
// documents are measured with, and of its own it would be measured with other work.
func Codecs() []Codec {
	all := []Codec{
		{Ours, decode, func(a *arena.Arena, v any) ([]byte, error) { return arenajson.Marshal(a, v) }},
		plain("encoding/json", json.Unmarshal, json.Marshal),
	}
	all = append(all, v2...)
	return append(all,
		plain("sonic", sonic.ConfigDefault.Unmarshal, sonic.ConfigDefault.Marshal),
		plain("sonic ConfigStd", sonic.ConfigStd.Unmarshal, sonic.ConfigStd.Marshal),
		plain("goccy/go-json", goccy.Unmarshal, goccy.Marshal),
		plain("jsoniter", jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal, jsoniter.ConfigCompatibleWithStandardLibrary.Marshal),
		plain("segmentio", func(doc []byte, v any) error { return segmentio.Unmarshal(doc, v) }, segmentio.Marshal),
	)
}
