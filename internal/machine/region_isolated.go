package machine

import (
	"sync/atomic"

	"github.com/ebbpool/arena/internal/check"
)

// Retired is the common part of a pool's regions that were left behind: in each of them
// a stale arena would allocate. One that does goes on as a region of its own.
type Retired struct {
	chunkSize, maxRetained uintptr
	record                 RegionRecord // of all of them
	late                   atomic.Uint64
}

// Init sets what a region goes on with that was retired.
func (s *Retired) Init(chunkSize, maxRetained uintptr) {
	s.chunkSize, s.maxRetained, s.record.retired = chunkSize, maxRetained, s
}

// Late returns how often somebody was seen in memory whose epoch had ended or was about
// to end.
func (s *Retired) Late() uint64 { return s.late.Load() }

// lateSerial is the serial from which marks of a revived region count: beyond all that the region
// had before.
const lateSerial = 1 << 63

// Isolates reports whether the region isolates its epochs.
func (r *Region) Isolates() bool { return r.Made() && r.retired != nil }

// Isolate has the region, from which nothing is in use, isolate its epochs, or stop doing
// so where s is nil. Its memory goes to the collector: epochs before may have left
// references. Checked builds hand nothing out twice anyway.
func (r *Region) Isolate(s *Retired) {
	if check.On {
		return
	}
	if len(r.Types.lanes) != 0 || r.FlatLane().Base != nil || r.maps != nil {
		r.Release()
	}
	r.retired = s
	r.FlatLane().retention.isolates = s != nil
}

// Retire has to, a region that was never made, go on in place of r, which is empty.
// Whoever uses r from here on finds nothing of it.
func (r *Region) Retire(to *Region) {
	to.Flat, to.Types, to.RegionRecord = r.Flat, r.Types, r.RegionRecord
	if q := to.FlatLane().ops.quota; q != nil {
		q.lanes = to
	}
	r.Flat, r.Types, r.RegionRecord = Lane{}, newTypeTable(), &to.retired.record
}

// WasEntered reports whether somebody was in the region, which was retired, while that
// was done. Nobody has used it later.
func (r *Region) WasEntered() bool { return !r.Made() && (r.Flat.Lo != 0 || r.Flat.Hi != 0) }

// Entered counts that somebody was in the region while its epoch ended.
func (r *Region) Entered() { r.retired.late.Add(1) }

// The zero Region goes on as one with these sizes, which are those of an automatic pool.
const (
	zeroChunk    = 4 << 10
	zeroRetained = 640 << 10
)

// MustBeMade makes a region that was never made, the zero one, or that was retired. The latter
// goes on as a region of its own, with memory that is nobody else's.
func (r *Region) MustBeMade() {
	if r.Made() {
		return
	}
	if r.RegionRecord == nil {
		r.Init(zeroChunk, zeroRetained)
		if check.On {
			r.Watch.Begin()
		}
		return
	}
	s := r.retired
	s.late.Add(1)
	*r = Region{}
	r.Init(s.chunkSize, s.maxRetained)
	r.marks.serial = lateSerial
}

// Revive is MustBeMade, inlined.
func (r *Region) Revive() {
	if !r.Made() {
		r.MustBeMade()
	}
}

// endIsolated is Empty where epochs are isolated.
func (r *Region) endIsolated() (used uintptr) {
	flat, lanes := r.FlatLane(), r.Types.inUse()
	ceiling := r.MaxRetained / uintptr(len(lanes)+1)
	used = flat.UserBytes()
	ok := flat.isolate(ceiling)
	held := flat.HeldBytes()
	most, busiest := uintptr(0), r.Types.Busiest
	for i := 0; i < len(lanes); {
		l := lanes[i]
		n := l.UserBytes()
		if n > most {
			most, busiest = n, l
		}
		used += n
		idle := l.isIdle()
		ok = l.isolate(ceiling) && ok
		switch {
		case !idle:
			l.retention.idle = 0
		case l.retention.idle < Window:
			l.retention.idle++
		default:
			l.Drop()
			r.rest(l)
			lanes = lanes[:len(lanes)-1]
			continue
		}
		held += l.HeldBytes()
		i++
	}
	if busiest != r.Types.Busiest {
		r.Types.Busiest = busiest
	}
	if !ok {
		r.Entered()
	}
	if r.maps != nil {
		used += r.maps.endCycle(r, 0)
	}
	r.highWater = max(r.highWater, used)
	r.resets++
	r.marks.clear(max(r.MaxRetained/8, marksRetained))
	if held > r.MaxRetained {
		r.dropOver(ceiling)
	}
	if check.Tag {
		r.Types.check()
	}
	return used
}

// dropOver leaves the chunks of those lanes to the collector that hold more than so many
// bytes.
func (r *Region) dropOver(bytes uintptr) {
	for _, l := range append([]*Lane{r.FlatLane()}, r.Types.inUse()...) {
		if l.HeldBytes() > bytes {
			l.Drop()
		}
	}
}
