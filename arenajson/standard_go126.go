//go:build goexperiment.jsonv2 && !go1.27

package arenajson

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
)

// The counterpart of standard_go127.go for Go 1.26, in which these packages are an experiment.

type (
	marshalerTo     = jsonv2.MarshalerTo
	unmarshalerFrom = jsonv2.UnmarshalerFrom
	v2Options       = jsonv2.Options
	v2Decoder       = jsontext.Decoder
	v2Encoder       = jsontext.Encoder
)

// unmarshalV2 is json.Unmarshal with options.
func unmarshalV2(text []byte, v any, base v2Options, known, strict bool) error {
	return jsonv2.Unmarshal(text, v, base, jsonv2.RejectUnknownMembers(known), jsonv2.MatchCaseInsensitiveNames(!strict), jsonv2.WithUnmarshalers(refuseReading))
}

// marshalV2 is json.Marshal with or without escapes for HTML.
func marshalV2(v any, html bool) ([]byte, error) {
	return jsonv2.Marshal(v, defaultOptions(), jsontext.EscapeForHTML(html), jsonv2.WithMarshalers(refuseWriting))
}

var (
	errSkip       = jsonv2.SkipFunc // from a function below: not called
	refuseWriting = jsonv2.MarshalToFunc(func(_ *v2Encoder, m mapLike) error { return refuseToWrite(m) })
	refuseReading = jsonv2.UnmarshalFromFunc(func(_ *v2Decoder, m mapLike) error { return refuseToRead(m) })
)

func defaultOptions() v2Options         { return json.DefaultOptionsV1() }
func copyOptions(o v2Options) v2Options { return jsonv2.JoinOptions(o) }
