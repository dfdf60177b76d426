package bench

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// Allocator.New must not cost a call, and Append must not cost one without growth. Both are close to the
// compiler's inlining budget, so a small change could exceed it.
func TestInlines(t *testing.T) {
	if testing.Short() || check.Race || check.ASan || !machine.LayoutOK {
		t.Skip("needs the plain build")
	}
	goTool := testkit.GoTool(t)
	// The test binary has instances for int and flat64.
	out, err := exec.Command(goTool, "test", "-run", "^$", "-gcflags=github.com/ebbpool/arena/...=-m", "-vet=off", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go test -gcflags=-m: %v\n%s", err, out)
	}
	for what, pattern := range map[string]string{
		"Allocator.New": `can inline (arena\.)?Allocator\[go\.shape\.struct.*\]\.New`,
		"inlined":       `inlining call to \(\*byteBump\)\.inlined`, // the baseline
		"Append":        `can inline (arena\.)?Append\[go\.shape\.int\]`,
		"KeyOf":         `can inline KeyOf`,
	} {
		if !regexp.MustCompile(pattern).Match(out) {
			var related []string
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, what[strings.IndexByte(what, '.')+1:]) && strings.Contains(line, "inline") {
					related = append(related, line)
				}
			}
			t.Errorf("%s does not inline; the compiler says of it:\n%s", what, strings.Join(related, ""))
		}
	}
}
