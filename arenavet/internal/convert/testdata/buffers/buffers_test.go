package buffers

import (
	"bytes"
	"runtime"
	"testing"
)

func TestParse(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789"), 30)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := Parse(text, &Node{})
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Error(after.TotalAlloc-before.TotalAlloc, "bytes")
	}
	if got := queue(text); got != 10*len(text) {
		t.Error(got)
	}
	if got := n.Data.String(); got != string(text)+string(text)+string(text) {
		t.Error(got)
	}
	if got := n.Next.Data.String(); got != string(text[1:])+string(text) {
		t.Error(got)
	}
	if n.text.String() != string(text) || string(kept) != string(text) || !bytes.HasSuffix(server.Data.Bytes(), text) || server.Next.Data.Len() != len(text) {
		t.Error("a text is lost")
	}
}
