package advise

import "strings"

// codecs returns how many times as long as package arenajson the functions of encoding/json take, the collector's
// part of both included: the least of docs/generated/json-speed.md for a request.
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

// isStandard reports whether a package is part of the standard library: its path begins with no domain.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
