package rules

import (
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// twice reports a second Put or Deallocate.
func (r *reporter) twice(x flow.Fault) {
	name, what := r.handleName(x.Of.Site), "Put"
	if x.Op == flow.OpDeallocate {
		name, what = r.memoryName(x.Of), "Deallocate"
	}
	r.find(finding.Put, x.Pos, [2]any{finding.Put, x.Pos}, "second "+what+" of "+name+", which "+r.taken(x.Of.Stale)+
		": give it back once, preferably with defer")
}

// lost reports a Get without Put.
func (r *reporter) lost(x flow.Fault) {
	where := "before the next Get of the loop"
	if x.Pos.IsValid() {
		where = "on the path that returns on line " + r.line(x.Pos)
	}
	r.find(finding.Put, x.Arena.Pos, [2]any{finding.Put, x.Arena}, "Get without Put: "+r.handleName(x.Arena)+" is not put back "+where+
		": defer the pool's Put right after Get, or use Do")
}

// forkPut reports a Put of a fork.
func (r *reporter) forkPut(x flow.Fault) {
	fork := x.Of.Site
	r.find(finding.Put, x.Pos, [2]any{finding.Put, x.Pos}, "Put of "+r.handleName(fork)+", a fork of "+r.handleName(fork.Parent)+
		", which panics: a fork ends with its parent, put that")
}
