package arenavet

// rule is one kind of finding. Its name is the diagnostic's category and the
// anchor of its section in docs/arenavet.md.
type rule string

const (
	ruleEscape    rule = "escape"    // memory leaves the function that takes it back
	ruleStale     rule = "stale"     // use after Reset, Rewind, Release, Put, Deallocate
	ruleGoroutine rule = "goroutine" // an arena in two goroutines
	ruleAppend    rule = "append"    // builtin append to a slice in an arena
	rulePut       rule = "put"       // Get without Put, Put twice
	ruleUninit    rule = "uninit"    // an Uninit slice that is read before it is written
	ruleMark      rule = "mark"      // a Mark that is no longer good
	ruleCollector rule = "collector" // the collector's own API on memory of an arena
	ruleHeap      rule = "heap"      // advice, with -heap: it goes to the heap, and could lie in an arena
	ruleIgnore    rule = "ignore"    // a comment that suppresses without a reason
)

// Rules are the names of all rules.
var Rules = []string{
	string(ruleEscape), string(ruleStale), string(ruleGoroutine), string(ruleAppend),
	string(rulePut), string(ruleUninit), string(ruleMark), string(ruleCollector), string(ruleHeap), string(ruleIgnore),
}

const page = "https://github.com/ebbpool/arena/blob/main/docs/arenavet.md"

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
