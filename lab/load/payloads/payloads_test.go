package payloads_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/ebbpool/arena/lab/load/payloads"
)

func TestPayloads(t *testing.T) {
	a, b, other := payloads.NewSource(3, 4096), payloads.NewSource(3, 1<<40), payloads.NewSource(4, 4096)
	seen := map[string]bool{}
	for _, i := range []int{0, 1, 4095, 4096, 8192, 1_234_567_890} {
		p := a.AppendPayload(nil, i)
		if !bytes.Equal(p, b.AppendPayload(nil, i)) {
			t.Errorf("request %d differs between two sources of one seed", i)
		}
		if bytes.Equal(p, other.AppendPayload(nil, i)) {
			t.Errorf("request %d is the same for two seeds", i)
		}
		if seen[string(p)] {
			t.Errorf("request %d repeats another", i)
		}
		seen[string(p)] = true
		_, body, _ := bytes.Cut(p, []byte("\n"))
		var e struct{ ID string }
		if err := json.Unmarshal(body, &e); err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(e.ID, "req-")); err != nil || n != i {
			t.Errorf("request %d has the id %q", i, e.ID)
		}
	}
	prefixed := a.AppendPayload([]byte("kept"), 5)
	if want := "kept" + string(a.AppendPayload(nil, 5)); string(prefixed) != want {
		t.Errorf("AppendPayload to a prefix: got %q", prefixed)
	}
}
