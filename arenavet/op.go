package arenavet

// op is what a call does to an arena.
type op uint8

const (
	opReset op = iota + 1
	opRelease
	opPut
	opRewind
	opDeallocate
	opUse       // allocates from it, or anything else that only its owner may do
	opUnknown   // gives it to code that is not known
	opGoroutine // leaves a goroutine running that uses it
	opSent      // sends the value on a channel, or leaves it with a goroutine
	opRuns      // leaves a goroutine running that may call the function
	opWait      // waits for other goroutines
	opFinalizer // gives the value to runtime.SetFinalizer
	opCleanup   // to runtime.AddCleanup
	opWeak      // to weak.Make
	opUnique    // to unique.Make
	opDecode    // reads a document into what the value leads to, which is the arena's then
	opKeep      // takes over the arena of its gRPC call
)

func (o op) String() string {
	switch o {
	case opReset:
		return "Reset"
	case opRelease:
		return "Release"
	case opPut:
		return "Put"
	case opRewind:
		return "Rewind"
	case opDeallocate:
		return "Deallocate"
	}
	return "use"
}
