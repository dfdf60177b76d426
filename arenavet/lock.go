package arenavet

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
