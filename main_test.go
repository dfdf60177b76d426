package arena

import (
	"flag"
	"os"
	"testing"
)

// noLayout runs the whole suite as if the start-up check had failed.
var noLayout = flag.Bool("nolayout", false, "pretend that type descriptors can't be read, and use package reflect")

// noSpeed is for builds that are slow on purpose.
var noSpeed = flag.Bool("nospeed", false, "leave out the tests that compare times")

func TestMain(m *testing.M) {
	flag.Parse()
	if *noLayout {
		layoutOK = false
	}
	os.Exit(m.Run())
}

// needsReuse skips a test of how memory is used again, of how large chunks are,
// or of what happens when memory is used too late, where the checks for misuse
// make that different. Such builds run once more with EBBPOOL_CHECKED=off.
func needsReuse(t *testing.T) {
	if checked {
		t.Skip("the checks for misuse are on")
	}
}
