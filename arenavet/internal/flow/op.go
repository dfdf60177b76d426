package flow

// Op is an effect of a call on an arena.
type Op uint8

const (
	OpReset Op = iota + 1
	OpRelease
	OpPut
	OpRewind
	OpDeallocate
	OpUse       // allocates, or does something else that only the owner may do
	OpUnknown   // passes it to unknown code
	OpGoroutine // a goroutine goes on using it
	OpSent      // sends the value on a channel, or a goroutine goes on using it
	OpRuns      // a goroutine goes on that may call the function
	OpWait      // waits for other goroutines
	OpFinalizer // passes the value to runtime.SetFinalizer
	OpCleanup   // to runtime.AddCleanup
	OpWeak      // to weak.Make
	OpUnique    // to unique.Make
	OpBody      // uses the value as the body of a client's request
	OpDecode    // decodes a document into the value, with memory of the arena
	OpKeep      // takes ownership of the arena of its gRPC call
	OpServe     // registers the service at At with the registrar at Mark; or its own handler, From.Type, keeps requests
	OpYields    // calls the function at At with the value
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
