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
// It returns an error and changes nothing where share is not above 0 and at most 1, and
// where nothing limits the process's memory.
func (p *ArenaPool) SetLimitsFromEnvironment(share float64) error {
	if !(share > 0 && share <= 1) {
		return fmt.Errorf("arena: ArenaPool.SetLimitsFromEnvironment: share is %v, and must be above 0 and at most 1", share)
	}
	e := fromEnvironment{share: share, bytes: math.MaxInt64}
	if n, _ := cgroup.MemoryLimit(os.DirFS("/")); n != 0 {
		e.bytes = n
	}
	total := e.total()
	if total == 0 {
		return errors.New("arena: ArenaPool.SetLimitsFromEnvironment: nothing limits the memory of this process; set GOMEMLIMIT, or call SetLimit")
	}
	p.control(func(c *controls) { p.limit(c, total/4, total, e) })
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
	p.control(func(c *controls) {
		if total := c.environment.total(); c.environment.share != 0 {
			p.limit(c, total/4, total, c.environment)
		}
	})
}
