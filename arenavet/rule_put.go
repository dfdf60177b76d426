package arenavet

// twice is an arena or a slot that is given back a second time.
func (r *reporter) twice(x fault) {
	name, what := r.handleName(x.Of.site), "Put"
	if x.Op == opDeallocate {
		name, what = r.memoryName(x.Of), "Deallocate"
	}
	r.find(rulePut, x.Pos, [2]any{rulePut, x.Pos}, "second "+what+" of "+name+", which "+r.taken(x.Of.stale)+
		": give it back once, best with a defer right after it was taken")
}

// lost is a Get without Put.
func (r *reporter) lost(x fault) {
	where := "before the next Get of the loop"
	if x.Pos.IsValid() {
		where = "on the path that returns on line " + r.line(x.Pos)
	}
	r.find(rulePut, x.Arena.pos, [2]any{rulePut, x.Arena}, "Get without Put: "+r.handleName(x.Arena)+" is not put back "+where+
		": defer the pool's Put right after Get, or use Do")
}

// forkPut is a Put of a fork.
func (r *reporter) forkPut(x fault) {
	fork := x.Of.site
	r.find(rulePut, x.Pos, [2]any{rulePut, x.Pos}, "Put of "+r.handleName(fork)+", a fork of "+r.handleName(fork.parent)+
		", which panics: a fork ends with its parent, put that")
}
