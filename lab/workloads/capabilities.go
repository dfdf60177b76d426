package workloads

// The matrix allocates through these interfaces, each as small as one kind of work needs. A subject
// implements the interfaces that it supports. For the others it has a reason instead of a row.
//
// Methods with a dst parameter make one object for each element. The loop is in the subject, so that calls
// that are inlined in users' code are also inlined here.

// Cycle ends all of a subject's objects at once. They must not be used after End.
type Cycle interface{ End() }

// Objects allocates structs of 64 bytes. They need not be zeroed: a workload writes every field that it
// reads.
type Objects interface {
	Cycle
	Flats(dst []*Flat)
	Links(dst []*Link)
}

// Ends is an Objects whose End does work. Objects on the Go heap need none.
type Ends interface {
	Objects
	EndsByCall()
}

// Texts copies strings.
type Texts interface {
	Cycle
	// Texts sets each element of dst to a separate copy of src.
	Texts(dst []string, src string)
}

// Ints allocates slices.
type Ints interface {
	Cycle
	// MakeInts returns a slice that is zeroed up to its capacity.
	MakeInts(n, capacity int) []int
	// ReserveInts returns a slice of n ints that the caller writes before reading. It is zeroed if the
	// subject has nothing cheaper.
	ReserveInts(n int) []int
	// AppendInts appends n values, first, first+1 and so on, one at a time.
	AppendInts(s []int, first, n int) []int
}

// Simples allocates zeroed structs of a length and a slice.
type Simples interface {
	Cycle
	Simples(dst []*Simple)
}

// Nodes allocates binary trees. The recursion is in the subject, like the loops of the others.
type Nodes interface {
	Cycle
	// Tree returns a tree of the given depth, 0 for one node, built from the root down.
	Tree(depth int) *Node
	// Apart returns separate memory of the same kind, equally warm, whose objects do not end with these.
	Apart() Nodes
}

// Requests allocates the objects of a small request: the handler's types, and a sixth one.
type Requests interface {
	Cycle
	Memory
	Node() *Node
}

// Workers returns a Requests for each goroutine. They share the subject's shared memory.
type Workers interface {
	Worker() Requests
}

// Flat is 64 bytes without a pointer.
type Flat struct {
	ID, Price, Quantity, Side int64
	Rest                      [4]int64
}

// Link is 64 bytes with two strings and a pointer.
type Link struct {
	Name, Text string
	Next       *Link
	ID         int64
	Rest       [2]int64
}

// Simple is a length and a slice.
type Simple struct {
	Length int
	Items  []int
}

// Node is a node of a binary tree.
type Node struct{ Left, Right *Node }
