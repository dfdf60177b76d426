//go:build !go1.27 || !goexperiment.jsonv2

package jsonbench

import "github.com/go-json-experiment/json"

// v2 is the module that became the standard library's second version, for a Go that has not
// got it, set to write nil as v1 does.
var v2 = plain("json/v2",
	func(doc []byte, v any) error { return json.Unmarshal(doc, v) },
	func(v any) ([]byte, error) {
		return json.Marshal(v, json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true))
	})
