package advise

import "strings"

// codecs returns the time of functions of encoding/json relative to package arenajson, including the
// collector's part. The numbers are the lowest for a request in docs/generated/json-speed.md.
func codecs(goVersion string) map[string]float64 {
	decode, encode := 3.5, 3.0
	if strings.HasPrefix(goVersion, "go1.25") || strings.HasPrefix(goVersion, "go1.26") {
		decode, encode = 5, 2.8
	}
	return map[string]float64{
		"encoding/json.Unmarshal": decode, "encoding/json.(*Decoder).Decode": decode,
		"encoding/json.Marshal": encode, "encoding/json.(*Encoder).Encode": encode, "encoding/json.MarshalIndent": encode,
	}
}
