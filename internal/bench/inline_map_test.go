package bench

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// A look-up takes three times as long if the compiler does not inline its parts. It inlines them into another
// package only if they were also inlined in package arena; map.go has some lines for this purpose. Get and
// Ptr are close to the compiler's budget.
func TestMapInlinesForItsUsers(t *testing.T) {
	if testing.Short() || check.Race || check.ASan || !machine.LayoutOK || check.On {
		t.Skip("needs the plain build")
	}
	goTool := testkit.GoTool(t)
	// Only the output for this package, in which BenchmarkMapGet uses maps.
	out, err := exec.Command(goTool, "test", "-run", "^$", "-gcflags=github.com/ebbpool/arena/internal/bench=-m", "-vet=off", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go test -gcflags=-m: %v\n%s", err, out)
	}
	for _, call := range []string{
		`swiss\.ctrl\.match`, `swiss\.ctrl\.first`, `swiss\.ctrl\.hasEmpty`, `swiss\.ctrl\.with`, `swiss\.tagOf`, `swiss\.placeOf`, `swiss\.\(\*secret\)\.word`,
		`arena\.\(\*Map\[go\.shape\.int,go\.shape\.int\]\)\.Get`,
	} {
		if !regexp.MustCompile(`inlining call to ` + call).Match(out) {
			t.Errorf("%s is not inlined in a package that uses a Map", call)
		}
	}
}
