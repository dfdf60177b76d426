package rules

import (
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// shared reports an arena in two goroutines.
func (r *reporter) shared(x flow.Fault) {
	k := x.Arena
	also := "the caller, which owns it, may also use it"
	switch {
	case x.Other.IsValid():
		also = "line " + r.line(x.Other) + " may use it at the same time"
	case k.Kind != flow.SymbolSite || k.Path != "":
		also = "another goroutine may use it at the same time"
	}
	if x.Given {
		r.find(finding.Goroutine, x.Pos, [3]any{finding.Goroutine, k, x.Pos}, r.handleName(k)+" is sent on a channel, and "+also+
			": the receiver owns it; send it after its last use, or wait until it comes back")
		return
	}
	r.find(finding.Goroutine, x.Pos, [3]any{finding.Goroutine, k, x.Pos}, r.handleName(k)+" is used by this goroutine, and "+also+
		": an arena belongs to one goroutine at a time; Get one inside, or wait for the goroutine first")
}

// forkShared reports a fork that a goroutine uses when its parent is taken back.
func (r *reporter) forkShared(x flow.Fault) {
	r.find(finding.Goroutine, x.Pos, [3]any{finding.Goroutine, x.Of.Site, x.Pos}, "a fork of "+r.handleName(x.Arena)+" is used by this goroutine, and line "+
		r.line(x.Other)+" may take back its memory at the same time: wait for the goroutine before that")
}
