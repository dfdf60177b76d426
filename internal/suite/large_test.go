package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ebbpool/arena/internal/testkit"
)

// Using a large type with arenas must not make a program large. Without inlining, as in debug and checkptr
// builds, a value of each type would be stored as zeros in the file.
func TestLargeTypesAreNoData(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	goTool := testkit.GoTool(t)
	const most = 16 << 20 // less than half of one value
	for _, flags := range []string{"", "-N -l", "-d=checkptr"} {
		binary := filepath.Join(t.TempDir(), "large")
		if out, err := exec.Command(goTool, "build", "-gcflags=github.com/ebbpool/arena/...="+flags, "-o", binary, "./testdata/large").CombinedOutput(); err != nil {
			t.Fatalf("go build -gcflags=%q: %v\n%s", flags, err, out)
		}
		info, err := os.Stat(binary)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > most {
			t.Errorf("-gcflags=%q: the program has %d bytes, at most %d expected", flags, info.Size(), most)
		}
	}
}
