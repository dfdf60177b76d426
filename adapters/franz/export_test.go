package arenafranz

// Steps returns the number of goroutines with a recorded step.
func (p *Pool) Steps() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.steps)
}
