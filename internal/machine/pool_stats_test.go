package machine

import (
	"testing"

	"github.com/ebbpool/arena/internal/check"
)

// of is a region of an arena that is out, of the pool that t counts.
func of(t *PoolStats) (*Region, *Account) {
	r, acct := new(Region), new(Account)
	r.Init(1000, 1<<20)
	r.Quota(func(why Refusal) { panic(why) }).Share(t, acct)
	acct.Turns.Store(1)
	return r, acct
}

func refusal(f func()) (why *Refusal) {
	defer func() {
		if e := recover(); e != nil {
			r := e.(Refusal)
			why = &r
		}
	}()
	f()
	return nil
}

// What fits a total to the byte is within it, whether it is asked for or was
// kept; a byte more is not.
func TestTotalFitsExactly(t *testing.T) {
	var stats PoolStats
	stats.Limit(10_000)
	_, other := of(&stats)
	other.held.Store(4000)
	if !other.ChargeIdle(&stats) || stats.Counts().Out != 4000 {
		t.Fatalf("%+v", stats.Counts())
	}
	_, acct := of(&stats)
	acct.held.Store(6001)
	if acct.ChargeIdle(&stats) || stats.Counts().Out != 4000 {
		t.Errorf("6001 bytes that were kept fit into 6000: %+v", stats.Counts())
	}
	acct.held.Store(6000)
	if !acct.ChargeIdle(&stats) || stats.Counts().Out != 10_000 {
		t.Errorf("6000 bytes that were kept don't fit into 6000: %+v", stats.Counts())
	}
	acct.Uncharge(&stats)
	if check.On {
		return // what is between the values takes room, too
	}
	r, acct := of(&stats)
	if why := refusal(func() { MakeSlice[byte](r, 6008, 6008) }); why == nil || why.Asked != 6008 || why.Others != 4000 || !why.Pool {
		t.Errorf("6008 bytes fit into 6000: %+v", why)
	}
	if why := refusal(func() { MakeSlice[byte](r, 6000, 6000) }); why != nil || stats.Counts().Out != 10_000 {
		t.Errorf("6000 bytes don't fit into 6000: %+v, %+v", why, stats.Counts())
	}
	if !acct.Pending {
		t.Error("nobody will take it off again")
	}
	acct.Uncharge(&stats)
	other.Uncharge(&stats)
	if stats.Counts().Out != 0 {
		t.Errorf("in the end: %+v", stats.Counts())
	}
}

// A chunk that nothing is in makes room for one that is needed, and counts until
// it is gone: another arena that took its bytes a moment before would make both
// go beyond the total. To look at that moment, letting go of it fails here.
func TestIdleChunkCountsUntilItIsGone(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept, or the panic would leave the race detector blind")
	}
	var stats PoolStats
	r, acct := of(&stats)
	MakeSlice[*int](r, 1000, 1000)
	r.Empty()
	idle := r.Quota(nil).Held()
	total := idle + idle/4
	stats.Limit(total)
	if len(r.Types.lanes) != 1 || r.Types.lanes[0].cap != idle || !acct.ChargeIdle(&stats) {
		t.Fatalf("%d bytes are idle, %+v", idle, stats.Counts())
	}
	r.Types.lanes[0].ops.quota = &Quota{stats: new(PoolStats)} // has no account
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing was let go of")
			}
		}()
		MakeSlice[byte](r, int(idle/2), int(idle/2))
	}()
	if out := stats.Counts().Out; out != idle {
		t.Errorf("%d bytes count while %d are there", out, idle)
	}

	// And then it counts no more.
	r, acct = of(&stats)
	stats.out.Store(0)
	MakeSlice[*int](r, 1000, 1000)
	r.Empty()
	acct.Uncharge(&stats)
	acct.ChargeIdle(&stats)
	MakeSlice[byte](r, int(idle/2), int(idle/2))
	if out := stats.Counts().Out; out != r.Quota(nil).Held() || out >= idle {
		t.Errorf("%d bytes count, %d are there", out, r.Quota(nil).Held())
	}
}

// An arena that was put back has no part of the total, whatever a program does
// with it; what it has then is counted when it is out again, once.
func TestTotalKnowsNothingOfWhatIsIdle(t *testing.T) {
	var stats PoolStats
	stats.Limit(1 << 20)
	r, acct := of(&stats)
	for range 40 {
		acct.Turns.Add(1)
		acct.Uncharge(&stats)
		MakeSlice[*int](r, 100, 100)
		MakeSlice[byte](r, 3000, 3000)
		if out := stats.Counts().Out; out != 0 {
			t.Fatalf("%d bytes count, and no arena is out", out)
		}
		acct.Turns.Add(1)
		held := r.Quota(nil).Held()
		if !acct.ChargeIdle(&stats) || stats.Counts().Out != held {
			t.Fatalf("%d bytes count, %d are there", stats.Counts().Out, held)
		}
		r.Release()
	}
}

// Where a chunk can't be charged, as another arena was quicker, the account must be as
// before: what is left there would be missing in the total for good.
func TestChargeThatComesTooLate(t *testing.T) {
	var stats PoolStats
	stats.Limit(10_000)
	acct := new(Account)
	if acct.charge(&stats, balance{out: 8}, 1000) || acct.Charged() != 0 || stats.Counts().Out != 0 {
		t.Errorf("%d bytes are charged, %+v", acct.Charged(), stats.Counts())
	}
	if acct.charge(&stats, balance{charged: 8}, 1000) || acct.Charged() != 0 || stats.Counts().Out != 0 {
		t.Errorf("%d bytes are charged, %+v", acct.Charged(), stats.Counts())
	}
	if !acct.charge(&stats, balance{}, 1000) || acct.Charged() != 1000 || stats.Counts().Out != 1000 {
		t.Errorf("%d bytes are charged, %+v", acct.Charged(), stats.Counts())
	}
}

// TestIdleChunkCountsUntilItIsGone for the limit of an arena and its forks.
func TestIdleChunkCountsForItsForksUntilItIsGone(t *testing.T) {
	if check.On || check.Race {
		t.Skip("no chunk is kept, or the panic would leave the race detector blind")
	}
	r := new(Region)
	r.Init(1000, 1<<20)
	m := r.Quota(func(why Refusal) { panic(why) })
	m.ShareWithForks(func(bool) uintptr { return 0 })
	MakeSlice[*int](r, 1000, 1000)
	r.Empty()
	idle := m.Held()
	m.SetLimit(idle + idle/4)
	r.Types.lanes[0].ops.quota = &Quota{stats: new(PoolStats)} // has no account
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing was let go of")
			}
		}()
		MakeSlice[byte](r, int(idle/2), int(idle/2))
	}()
	if _, held := m.bound(); held != idle {
		t.Errorf("%d bytes count while %d are there", held, idle)
	}
}
