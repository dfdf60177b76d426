package bench

import (
	"os/exec"
	"regexp"
	"testing"

	"github.com/ebbpool/arena/internal/check"
	"github.com/ebbpool/arena/internal/machine"
	"github.com/ebbpool/arena/internal/testkit"
)

// A look-up is a few instructions if the compiler inlines what it calls, and takes
// three times as long if not. It does so for a package that uses a Map only if
// package arena had it inlined, too: map.go has lines for nothing but that. Get
// and Ptr themselves are close to the compiler's budget.
func TestMapInlinesForItsUsers(t *testing.T) {
	if testing.Short() || check.Race || check.ASan || !machine.LayoutOK || check.On {
		t.Skip("needs the plain build")
	}
	goTool := testkit.GoTool(t)
	// Only what is said of this package, where BenchmarkMapGet has its maps.
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
