package arena

import (
	"flag"
	"os"
	"testing"
)

// noLayout runs the whole suite as if the start-up check had failed.
var noLayout = flag.Bool("nolayout", false, "pretend that type descriptors can't be read, and use package reflect")

func TestMain(m *testing.M) {
	flag.Parse()
	if *noLayout {
		layoutOK = false
	}
	os.Exit(m.Run())
}
