package flow

// Op is a call's effect on an arena.
type Op uint8

const (
	OpReset Op = iota + 1
	OpRelease
	OpPut
	OpRewind
	OpDeallocate
	OpUse       // allocates from it, or anything else that only its owner may do
	OpUnknown   // gives it to code that is not known
	OpGoroutine // leaves a goroutine running that uses it
	OpSent      // sends the value on a channel, or leaves it with a goroutine
	OpRuns      // leaves a goroutine running that may call the function
	OpWait      // waits for other goroutines
	OpFinalizer // gives the value to runtime.SetFinalizer
	OpCleanup   // to runtime.AddCleanup
	OpWeak      // to weak.Make
	OpUnique    // to unique.Make
	OpBody      // to a request of net/http's client, as its body
	OpDecode    // reads a document into what the value leads to, which is the arena's then
	OpKeep      // takes over the arena of its gRPC call
	OpServe     // registers the service at the place with the registrar at Mark, or a handler of its own, From.Type, that keeps its request
	OpYields    // calls the function with the value, as an iterator does with the body of a loop
)

func (o Op) String() string {
	switch o {
	case OpReset:
		return "Reset"
	case OpRelease:
		return "Release"
	case OpPut:
		return "Put"
	case OpRewind:
		return "Rewind"
	case OpDeallocate:
		return "Deallocate"
	}
	return "use"
}
