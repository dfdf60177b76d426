package figures

import (
	"slices"
	"strings"
)

const sonic, goccy, segmentio = "sonic", "goccy/go-json", "segmentio"

// JSON are the claims of arenajson beside other codecs, and beside a tree of C++.
var JSON = slices.Concat(
	large("twitter", "citm", "golang_source", "canada", "synthea"),
	jsons("decode, after all others", 2, []string{"small"}, sonic, goccy),
	jsons("decode", 1.5, []string{"string_unicode", "japanese", "floats_17", "floats_18_to_25", "floats_below_0.0001", "numbers", "integers", "map_1000", "podlist", "gsoc"}, sonic, goccy),
	jsons("decode", 1, []string{"base64"}, segmentio),
	recycled(sonic, goccy),
	jsons("decode a stream", 5, []string{"small"}, "encoding/json"),
	jsons("decode a stream, after all others", 5, []string{"small"}, "encoding/json"),
	jsons("encode", 1.2, []string{"twitter", "golang_source", "canada", "string_unicode", "string_escaped", "request", "small", "japanese",
		"floats_17", "floats_18_to_25", "floats_below_0.0001", "numbers", "integers"}, sonic, goccy),
	jsons("encode", 1.2, []string{"base64"}, sonic, goccy, segmentio),
	// These have maps, which sonic's ConfigStd sorts, as the others do.
	jsons("encode", 1.2, []string{"citm", "synthea", "map_1000", "podlist", "gsoc"}, "sonic ConfigStd", goccy),
	besideTree("twitter", "citm", "golang_source", "canada", "synthea", "string_unicode", "string_escaped", "request"),
)

// jsonBench is the benchmark of a codec.
func jsonBench(op, doc, codec string) string {
	return strings.ReplaceAll("JSON/op="+op+"/doc="+doc+"/live=0/codec="+codec, " ", "_")
}

// jsons has of each document how many times our time others take.
func jsons(op string, least float64, docs []string, others ...string) (all []Claim) {
	for _, doc := range docs {
		work := op + ": " + doc
		for _, other := range others {
			all = append(all, Claim{work, "times as fast as " + other, jsonBench(op, doc, other), jsonBench(op, doc, "arenajson"), AtLeast, least})
			work = ""
		}
	}
	return all
}

// large are the large corpora.
func large(docs ...string) (all []Claim) {
	for i := range docs {
		all = slices.Concat(all, jsons("decode", 10, docs[i:i+1], "encoding/json"), jsons("decode", 2, docs[i:i+1], sonic, goccy))
	}
	return all
}

// recycled has maps that are used again.
func recycled(others ...string) (all []Claim) {
	for _, c := range jsons("decode", 2, []string{"map_1000"}, others...) {
		c.Den += "_RecycleMaps"
		if c.Work != "" {
			c.Work += ", recycled"
		}
		all = append(all, c)
	}
	return all
}

// simdjson makes a tree of nodes without types.
const simdjson = "simdjson DOM, C++"

// besideTree has our speed with typed values beside that of a tree without.
func besideTree(docs ...string) (all []Claim) {
	for _, doc := range docs {
		all = append(all, Claim{"decode: " + doc + ", beside a tree", "times the MB/s of " + simdjson,
			jsonBench("decode", doc, "arenajson") + "@MB/s", jsonBench("decode", doc, simdjson), AtLeast, 0.5})
	}
	return all
}
