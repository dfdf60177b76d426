package rules

import (
	"github.com/ebbpool/arena/arenavet/internal/finding"
	"github.com/ebbpool/arena/arenavet/internal/flow"
)

// unwritten reports a read of memory that was never written.
func (r *reporter) unwritten(x flow.Fault) {
	r.find(finding.Uninit, x.Pos, x.Of.Site, "read of "+r.memoryName(x.Of)+
		", which MakeSliceUninit did not clear and nothing has written yet: write it first, or use MakeSlice")
}
