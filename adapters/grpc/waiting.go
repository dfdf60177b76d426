package arenagrpc

import (
	"reflect"
	"sync"
)

// waiting maps each message that is being received to its call.
var waiting sync.Map // of any, a pointer to a message, to *call

// expect records that m belongs to c. It reports false if m is not a pointer, and so has no address.
func expect(m any, c *call) bool {
	if m == nil || reflect.TypeOf(m).Kind() != reflect.Pointer {
		return false
	}
	waiting.Store(m, c)
	return true
}

// taken removes the record of m and returns its call, or nil.
func taken(m any) *call {
	if m == nil || reflect.TypeOf(m).Kind() != reflect.Pointer {
		return nil
	}
	c, _ := waiting.LoadAndDelete(m)
	found, _ := c.(*call)
	return found
}

// forget removes the record of m if the codec was not called.
func forget(m any) { waiting.Delete(m) }
