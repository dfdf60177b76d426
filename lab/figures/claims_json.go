package figures

import (
	"slices"
	"strings"
)

const sonic, goccy, segmentio = "sonic", "goccy/go-json", "segmentio"

// JSON lists the comparisons of arenajson with other codecs and with a C++ DOM.
var JSON = slices.Concat(
	large("twitter", "citm", "golang_source", "canada", "synthea"),
	jsons("decode, after all others", []string{"small"}, sonic, goccy),
	jsons("decode", []string{"string_unicode", "japanese", "floats_17", "floats_18_to_25", "floats_below_0.0001", "numbers", "integers", "map_1000", "podlist", "gsoc"}, sonic, goccy),
	jsons("decode", []string{"base64"}, segmentio),
	jsons("decode a stream", []string{"small"}, "encoding/json"),
	jsons("decode a stream, after all others", []string{"small"}, "encoding/json"),
	jsons("encode", []string{"twitter", "golang_source", "canada", "string_unicode", "string_escaped", "request", "small", "japanese",
		"floats_17", "floats_18_to_25", "floats_below_0.0001", "numbers", "integers"}, sonic, goccy),
	jsons("encode", []string{"base64"}, sonic, goccy, segmentio),
	// These contain maps. Like the other codecs, sonic's ConfigStd sorts them.
	jsons("encode", []string{"citm", "synthea", "map_1000", "podlist", "gsoc"}, "sonic ConfigStd", goccy),
	besideTree("twitter", "citm", "golang_source", "canada", "synthea", "string_unicode", "string_escaped", "request"),
)

// jsonBench returns the name of a codec's benchmark.
func jsonBench(op, doc, codec string) string {
	return strings.ReplaceAll("JSON/op="+op+"/doc="+doc+"/live=0/codec="+codec, " ", "_")
}

// jsons compares each of the others with arenajson, for each document.
func jsons(op string, docs []string, others ...string) (all []Claim) {
	for _, doc := range docs {
		work := op + ": " + doc
		for _, other := range others {
			all = append(all, Claim{work, "times as fast as " + other, jsonBench(op, doc, other), jsonBench(op, doc, "arenajson")})
			work = ""
		}
	}
	return all
}

// large compares the codecs on the large corpora.
func large(docs ...string) (all []Claim) {
	for i := range docs {
		all = slices.Concat(all, jsons("decode", docs[i:i+1], "encoding/json"), jsons("decode", docs[i:i+1], sonic, goccy))
	}
	return all
}

// simdjson builds an untyped DOM.
const simdjson = "simdjson DOM, C++"

// besideTree compares our speed with typed values to the speed of an untyped DOM.
func besideTree(docs ...string) (all []Claim) {
	for _, doc := range docs {
		all = append(all, Claim{"decode: " + doc + ", beside a tree", "times the MB/s of " + simdjson,
			jsonBench("decode", doc, "arenajson") + "@MB/s", jsonBench("decode", doc, simdjson)})
	}
	return all
}
