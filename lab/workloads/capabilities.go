package workloads

// The matrix asks its subjects for memory through these interfaces, each as
// small as one kind of work needs. A subject implements those that suit it;
// what it lacks is a row that is not measured, with its reason.
//
// Methods that take a slice to fill make one object for each element: the loop
// stands in the subject, so that a call that users get inlined is inlined here
// too.

// Epoch ends all of a subject's objects at once. What was handed out before is
// dead after End.
type Epoch interface{ End() }

// Objects is memory for structs of 64 bytes. They need not be zero: a workload
// writes every field that it reads.
type Objects interface {
	Epoch
	Flats(dst []*Flat)
	Links(dst []*Link)
}

// Ends is an Objects whose End does something: the Go heap's objects end
// without a call, when the collector finds the time.
type Ends interface {
	Objects
	EndsByCall()
}

// Texts copies strings.
type Texts interface {
	Epoch
	// Texts sets each element of dst to a copy of src in memory of its own.
	Texts(dst []string, src string)
}

// Ints is memory for slices.
type Ints interface {
	Epoch
	// MakeInts returns a slice that is zero up to its capacity.
	MakeInts(n, capacity int) []int
	// ReserveInts returns a slice of n ints that the caller will write before
	// it reads them: zero where the subject has nothing cheaper.
	ReserveInts(n int) []int
	// AppendInts appends n values, first, first+1 and so on, one at a time.
	AppendInts(s []int, first, n int) []int
}

// Simples is memory for the structs of a length and a slice. They are zero.
type Simples interface {
	Epoch
	Simples(dst []*Simple)
}

// Nodes is memory for binary trees. The recursion stands in the subject, as the
// loops of others do.
type Nodes interface {
	Epoch
	// Tree returns a tree of that depth, 0 for one node, built from its root down.
	Tree(depth int) *Node
	// Apart is memory of the same kind whose objects don't end with these; as warm
	// as these, where a subject keeps memory from epoch to epoch.
	Apart() Nodes
}

// Requests has what a small request needs: the handler's memory and a sixth
// type.
type Requests interface {
	Epoch
	Memory
	Node() *Node
}

// Workers gives each goroutine a Requests; they share what the subject shares.
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
