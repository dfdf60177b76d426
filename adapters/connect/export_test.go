package arenaconnect

// Waiting returns the number of goroutines registered for a call or a stream.
func Waiting() (n int) {
	for i := range reading {
		reading[i].mu.Lock()
		n += len(reading[i].m)
		reading[i].mu.Unlock()
	}
	return n
}
