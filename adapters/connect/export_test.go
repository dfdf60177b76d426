package arenaconnect

// Waiting returns how many goroutines lead to a call or a stream.
func Waiting() (n int) {
	for i := range reading {
		reading[i].mu.Lock()
		n += len(reading[i].m)
		reading[i].mu.Unlock()
	}
	return n
}
