package suite

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/testkit"
)

// Plain builds contain no function of the misuse checks, so the checks cost them nothing.
func TestChecksAreNotInPlainBuilds(t *testing.T) {
	if testing.Short() || check.On || check.Race || check.ASan {
		t.Skip("builds a program twice, plain and checked")
	}
	goTool := testkit.GoTool(t)
	symbols := func(args ...string) int {
		program := filepath.Join(t.TempDir(), "mistakes")
		build := exec.Command(goTool, append(append([]string{"build", "-o", program}, args...), "./mistakes")...)
		build.Dir = "../../docs"
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build %v: %v\n%s", args, err, out)
		}
		out, err := exec.Command(goTool, "tool", "nm", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		return len(checksSymbols.FindAll(out, -1))
	}
	if n := symbols("-tags", "arenacheck"); n < 10 {
		t.Fatalf("a checked build has %d functions of the checks: this test looks for the wrong names", n)
	}
	if n := symbols(); n != 0 {
		t.Errorf("a plain build has %d functions of the checks for misuse", n)
	}
}

// checksSymbols matches the functions that only the checks call.
var checksSymbols = regexp.MustCompile(`(?m) T github\.com/ebbpool/arena(/internal/check\..*|/internal/machine\.\(\*(Allocator|Region|TypeTable|chunk)\)\.(check|checkFrom|checkFree|give|quarantine|quarantineFrom|recordUse)|\.\(\*Arena\)\.checkForks?)$`)
