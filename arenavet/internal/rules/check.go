package rules

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// Check reports the misuse in a function. waits says that clients of its package may use arenahttp.Transport.
func Check(c *flow.Package, fn *ssa.Function, waits bool, ignored finding.IgnoredLines) {
	r := &reporter{pkg: c, fn: fn, waits: waits}
	for _, x := range c.Faults[fn] {
		r.fault(x)
	}
	r.report(ignored)
}

// fault reports a fault by its rule.
func (r *reporter) fault(x flow.Fault) {
	switch x.Kind {
	case flow.FaultUse:
		r.staleMemory(x)
	case flow.FaultHandle:
		r.staleHandle(x)
	case flow.FaultLate:
		r.late(x)
	case flow.FaultReturn:
		r.returned(x)
	case flow.FaultKept:
		r.kept(x)
	case flow.FaultLent:
		r.lent(x)
	case flow.FaultTwice:
		r.twice(x)
	case flow.FaultLost:
		r.lost(x)
	case flow.FaultForkPut:
		r.forkPut(x)
	case flow.FaultMark:
		r.mark(x)
	case flow.FaultShared:
		r.shared(x)
	case flow.FaultFork:
		r.forkShared(x)
	case flow.FaultUnwritten:
		r.unwritten(x)
	case flow.FaultAppend:
		r.appends(x)
	case flow.FaultSink:
		r.collected(x)
	case flow.FaultRequest:
		r.request(x)
	}
}
