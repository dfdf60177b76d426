package figures

import (
	"slices"
	"strings"
)

const sonic, goccy, segmentio = "sonic", "goccy/go-json", "segmentio"

// JSON are the claims of arenajson beside other codecs, and beside a tree of C++.
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
	// These have maps, which sonic's ConfigStd sorts, as the others do.
	jsons("encode", []string{"citm", "synthea", "map_1000", "podlist", "gsoc"}, "sonic ConfigStd", goccy),
	besideTree("twitter", "citm", "golang_source", "canada", "synthea", "string_unicode", "string_escaped", "request"),
)

// jsonBench is the benchmark of a codec.
func jsonBench(op, doc, codec string) string {
	return strings.ReplaceAll("JSON/op="+op+"/doc="+doc+"/live=0/codec="+codec, " ", "_")
}

// jsons has of each document how many times our time others take.
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

// large are the large corpora.
func large(docs ...string) (all []Claim) {
	for i := range docs {
		all = slices.Concat(all, jsons("decode", docs[i:i+1], "encoding/json"), jsons("decode", docs[i:i+1], sonic, goccy))
	}
	return all
}

// simdjson makes a tree of nodes without types.
const simdjson = "simdjson DOM, C++"

// besideTree has our speed with typed values beside that of a tree without.
func besideTree(docs ...string) (all []Claim) {
	for _, doc := range docs {
		all = append(all, Claim{"decode: " + doc + ", beside a tree", "times the MB/s of " + simdjson,
			jsonBench("decode", doc, "arenajson") + "@MB/s", jsonBench("decode", doc, simdjson)})
	}
	return all
}
