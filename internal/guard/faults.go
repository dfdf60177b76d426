package guard

import (
	"runtime/debug"
	"sync"

	"github.com/ebbpool/arena/internal/goroutine"
)

// FaultUser is a user of debug.SetPanicOnFault in one goroutine. The zero FaultUser has nothing to restore.
type FaultUser struct {
	goroutine  uint64
	generation uint64 // of the goroutine's faultUsers
}

// faults has the goroutines in which PanicOnFault turned the setting on, by number, in shards.
var faults [64]struct {
	sync.Mutex
	generation uint64 // of the last faultUsers
	users      map[uint64]faultUsers
}

// faultUsers counts the users in one goroutine since the setting was turned on.
type faultUsers struct {
	generation uint64
	count      int
}

// PanicOnFault turns on debug.SetPanicOnFault in the calling goroutine until Restore.
func PanicOnFault() FaultUser {
	n := goroutine.Self()
	shard := &faults[shardOf(n)]
	shard.Lock()
	defer shard.Unlock()
	u, known := shard.users[n]
	if on := debug.SetPanicOnFault(true); !on {
		// The number may be the number of an ended goroutine whose users are left.
		shard.generation++
		u = faultUsers{generation: shard.generation}
	} else if !known {
		return FaultUser{}
	}
	if shard.users == nil {
		shard.users = map[uint64]faultUsers{}
	}
	u.count++
	shard.users[n] = u
	return FaultUser{n, u.generation}
}

// Restore turns the setting off again if f is the last user in the goroutine. If stay is set, or if the last user's
// Restore runs in another goroutine, the setting stays on.
func (f FaultUser) Restore(stay bool) {
	if f == (FaultUser{}) {
		return
	}
	shard := &faults[shardOf(f.goroutine)]
	shard.Lock()
	defer shard.Unlock()
	u := shard.users[f.goroutine]
	if u.generation != f.generation {
		return
	}
	if u.count--; u.count > 0 && !stay {
		shard.users[f.goroutine] = u
		return
	}
	delete(shard.users, f.goroutine)
	if !stay && f.goroutine == goroutine.Self() {
		debug.SetPanicOnFault(false)
	}
}

// shardOf returns the upper six bits of a hash of n, which is an address.
func shardOf(n uint64) uint64 { return n * 0x9E3779B97F4A7C15 >> 58 }
