package rules

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// body reports arena memory as the body of a client's request.
func (r *reporter) body(x flow.Fault) {
	if r.waits {
		return
	}
	what := "the body of a request is "
	if x.Via != "" && !strings.Contains(x.Via, "$") {
		what = x.Via + " makes a request whose body is "
	}
	r.find(finding.Body, x.Pos, [3]any{finding.Body, x.Of.Site, x.Pos}, what+r.memoryName(x.Of)+
		": net/http may read it after the client has returned: give the client an arenahttp.Transport, or copy the body")
}

// Waits is the fact that a package, or one that it imports, uses arenahttp.Transport. Its clients may have that
// transport, so their requests are not reported.
type Waits struct{}

func (*Waits) AFact()         {}
func (*Waits) String() string { return "waits" }

// FindTransport reports whether the package has the fact Waits, and exports it.
func FindTransport(pass *analysis.Pass) bool {
	found := false
	for _, p := range pass.Pkg.Imports() {
		found = found || pass.ImportPackageFact(p, new(Waits))
	}
	for _, o := range pass.TypesInfo.Uses {
		if fn, ok := o.(*types.Func); ok && fn.Name() == "Transport" && catalog.FunctionName(fn) == catalog.ArenaPath+"/arenahttp.Transport" {
			found = true
			break
		}
	}
	if found {
		pass.ExportPackageFact(new(Waits))
	}
	return found
}
