package arena

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// The checks for misuse cost a plain build nothing: not one of their functions
// may be in its program. A call that is left in a hot path would bring one.
func TestChecksAreNotInPlainBuilds(t *testing.T) {
	if testing.Short() || checked || raceEnabled || asanEnabled {
		t.Skip("builds the tests twice, plain and checked")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("needs the go command")
	}
	symbols := func(args ...string) int {
		program := filepath.Join(t.TempDir(), "test")
		build := exec.Command(goTool, append([]string{"test", "-c", "-o", program}, args...)...)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go test -c %v: %v\n%s", args, err, out)
		}
		out, err := exec.Command(goTool, "tool", "nm", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(program)
		return len(checksSymbols.FindAll(out, -1))
	}
	if n := symbols("-tags", "arenacheck"); n < 10 {
		t.Fatalf("a checked build has %d functions of the checks: this test looks for the wrong names", n)
	}
	if n := symbols(); n != 0 {
		t.Errorf("a plain build has %d functions of the checks for misuse", n)
	}
}

var checksSymbols = regexp.MustCompile(`(?m) T github\.com/ebbpool/arena\.(\(\*(witness|life|trace|run|FaultError)\)\.\w+|\(\*(lane|chunk|Arena)\)\.(bury|buryFrom|seal|fillIn|makeChecked|give|giveUnwritten|noteGiven|takeTail|noteTail|zoneBehind|leaveOut|zone|textZone|zoneBytes|checkZones|checkGap|neighbours|protect|enter)|explain|newRun|takePages|wordsOf|fill|setWord|setPointer|catchFaults)$`)
