package arenagrpc

import (
	"reflect"
	"sync"
)

// waiting has the call of each message that is being received.
var waiting sync.Map // of any, a pointer to a message, to *call

// expect notes that m is c's, and reports whether it could: what is no pointer has no
// address to be found by.
func expect(m any, c *call) bool {
	if m == nil || reflect.TypeOf(m).Kind() != reflect.Pointer {
		return false
	}
	waiting.Store(m, c)
	return true
}

// taken returns the call that m is for and forgets it; nil if there is none.
func taken(m any) *call {
	if m == nil || reflect.TypeOf(m).Kind() != reflect.Pointer {
		return nil
	}
	c, _ := waiting.LoadAndDelete(m)
	found, _ := c.(*call)
	return found
}

// forget takes the note of m away, where no codec of ours did.
func forget(m any) { waiting.Delete(m) }
