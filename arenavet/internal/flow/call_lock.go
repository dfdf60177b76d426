package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// An arena that is only used while a mutex is held is used by one goroutine at
// a time. Which mutex guards which arena is not followed: holding any counts.

// mutexCall notes that a call of the function that is called name takes or
// gives back a mutex. A lock for readers is not one: others may hold it, too.
func (s *state) mutexCall(name string) {
	switch name {
	case "sync.Mutex.Lock", "sync.RWMutex.Lock":
		s.locked = true
	case "sync.Mutex.Unlock", "sync.RWMutex.Unlock":
		s.locked = false
	}
}

// unlocks reports whether a call of the function that is called name gives back a
// mutex. In memory that was cleared, or that others have got, it ends the
// program.
func unlocks(name string) bool {
	switch name {
	case "sync.Mutex.Unlock", "sync.RWMutex.Unlock", "sync.RWMutex.RUnlock", "sync.Locker.Unlock":
		return true
	}
	return false
}

// unlocksBy reports whether an instruction is a call that gives back a mutex.
func unlocksBy(instr ssa.Instruction) bool {
	call, ok := instr.(ssa.CallInstruction)
	if !ok {
		return false
	}
	if common := call.Common(); common.IsInvoke() {
		return unlocks(catalog.FunctionName(common.Method))
	} else if fn := common.StaticCallee(); fn != nil {
		return unlocks(catalog.CalleeName(fn))
	}
	return false
}
