//go:build !goexperiment.jsonv2

package arenajson

import "reflect"

// onV2 reports whether encoding/json is built on encoding/json/v2, the default since Go 1.27.
const onV2 = false

// No types are delegated to this encoding/json.

func standardWrites(t reflect.Type) bool        { return false }
func standardReads(t reflect.Type) bool         { return false }
func standardStruct(t reflect.Type) bool        { return false }
func standardMap(t reflect.Type) bool           { return false }
func standardIgnoresQuotes(t reflect.Type) bool { return false }
func leadsToMap(t reflect.Type) bool            { return false }

func marshalStandard(v any, flags optionFlags) ([]byte, error) { panic("arenajson: not on v2") }

func (d *decoder) unmarshalStandard(text []byte, v any) error { panic("arenajson: not on v2") }
