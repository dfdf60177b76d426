//go:build go1.27 && goexperiment.jsonv2

package jsonbench

import "encoding/json/v2"

// v2 is the standard library's json/v2, configured to write nil like v1.
var v2 = plain("json/v2",
	func(doc []byte, v any) error { return json.Unmarshal(doc, v) },
	func(v any) ([]byte, error) {
		return json.Marshal(v, json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true))
	})
