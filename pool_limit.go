package arena

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"runtime/debug"

	"github.com/ebbpool/arena/internal/cgroup"
)

// SetLimit bounds the memory of the pool's arenas: perArena is the limit, in
// bytes, of each arena that Get hands out, total that of all arenas that are
// out together. 0 is none, for either; negative numbers panic. An allocation
// that would go beyond one of them panics with a *LimitError, in the goroutine
// that asked for it, and touches no other.
//
// total counts the chunks of arenas that are in use, or were leaked and not
// collected yet, and of their forks, also of forks that have ended. Idle arenas don't
// count; Get gives the chunks of one to the collector if they don't fit into the total
// any more. Get itself never fails. A total costs each Get and Put one atomic addition to memory that all cores
// share; beyond that, limits are only looked at when an arena needs a chunk.
//
// Set limits before the first Get. A limit that is set later holds for an arena from its next
// Get on; a total that replaces another one holds at once. A perArena above total is allowed
// and means little.
func (p *ArenaPool) SetLimit(perArena, total int) {
	arenas, all := checkLimit(p.name()+".SetLimit", perArena), checkLimit(p.name()+".SetLimit", total)
	if p != nil {
		p.configure(func(c *config) { p.limit(c, arenas, all, fromEnvironment{}) })
	}
}

// limit sets the limits in c and in the pool's statistics.
func (p *ArenaPool) limit(c *config, perArena, total uintptr, e fromEnvironment) {
	c.perArena, c.total, c.environment = perArena, total != 0, e
	p.stats.Limit(total)
}

// leastTotal is the least total in bytes that SetLimitsFromEnvironment sets: with less
// not even a small request is served.
const leastTotal = 1 << 20

// mostTotal is a limit that no process reaches, exact as a float64.
const mostTotal = 1 << (bits.UintSize - 2)

// fromEnvironment says how a pool's total follows from what the process may have.
type fromEnvironment struct {
	share float64 // of that; 0: the limits are not from the environment
	bytes int64   // the control groups' limit
}

// SetLimitsFromEnvironment sets the pool's limits from the memory that the process may
// have: the total is share of that, at least 1 MB, and one arena with its forks may
// have a quarter of the total. 0.5 suits a server whose memory is mostly its requests'.
//
// What the process may have is the lowest of the Go runtime's memory limit (GOMEMLIMIT,
// debug.SetMemoryLimit) and, on Linux, the limits of its control groups, versions 1 and
// 2. Where the former changes, the limits follow after the next collection; those of
// control groups are read here, once. A later SetLimit replaces all of this.
//
// It returns an error and changes nothing if share is not above 0 and at most 1, or if
// nothing limits the process's memory. On a nil pool it only checks share.
func (p *ArenaPool) SetLimitsFromEnvironment(share float64) error {
	if !(share > 0 && share <= 1) {
		return fmt.Errorf("arena: %s.SetLimitsFromEnvironment: share is %v, and must be above 0 and at most 1", p.name(), share)
	}
	if p == nil {
		return nil
	}
	e := fromEnvironment{share: share, bytes: math.MaxInt64}
	if n, _ := cgroup.MemoryLimit(os.DirFS("/")); n != 0 {
		e.bytes = n
	}
	total := e.total()
	if total == 0 {
		return errors.New("arena: " + p.name() + ".SetLimitsFromEnvironment: nothing limits the memory of this process; set GOMEMLIMIT, or call SetLimit")
	}
	p.configure(func(c *config) { p.limit(c, total/4, total, e) })
	return nil
}

// total is the pool's total at this moment, 0 where nothing limits the process.
func (e fromEnvironment) total() uintptr {
	bytes := min(e.bytes, debug.SetMemoryLimit(-1))
	if bytes == math.MaxInt64 {
		return 0
	}
	return uintptr(min(max(e.share*float64(bytes), leastTotal), mostTotal))
}

// followEnvironment sets the limits anew, for the runtime's memory limit may have
// changed.
func (p *ArenaPool) followEnvironment() {
	if c := p.config.Load(); c == nil || c.environment.share == 0 {
		return
	}
	p.configure(func(c *config) {
		if total := c.environment.total(); c.environment.share != 0 {
			p.limit(c, total/4, total, c.environment)
		}
	})
}
