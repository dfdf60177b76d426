package bench

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/ebbpool/arena/internal/testkit"
)

// The tests of the first promise are only meaningful if they can fail: an arena made of bytes must lose its
// strings under the same collector. The README says so.
func TestControlBytesLoseStrings(t *testing.T) {
	const child = "ARENA_TEST_CONTROL"
	if os.Getenv(child) == "" {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
		defer cancel()
		cmd := testkit.Self(ctx, t, "-test.run=^TestControlBytesLoseStrings$", "-test.v")
		cmd.Env = append(os.Environ(), "GOGC=1", "GODEBUG=clobberfree=1", child+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "strings are lost") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	type record struct {
		id   uint64
		text string
	}
	a := newByteBump(1 << 20)
	var records []*record
	for i := range uint64(5000) {
		r := bumpNew[record](a)
		r.id, r.text = i, testkit.HeapText(i)
		records = append(records, r)
	}
	testkit.Collect(5)
	// From here on nothing is collected, because a collector that finds one of these pointers on the stack
	// would crash.
	debug.SetGCPercent(-1)
	wrong := 0
	for i, r := range records {
		if r.id != uint64(i) {
			t.Fatal("the object itself is damaged")
		}
		if r.text != testkit.HeapText(uint64(i)) {
			wrong++
		}
	}
	if wrong < 4500 {
		t.Errorf("only %d of %d strings are lost: the tests of promise 1 would not notice much", wrong, len(records))
	}
	fmt.Println(wrong, "of", len(records), "strings are lost")
}
