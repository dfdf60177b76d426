package subjects

import (
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/lab/workloads"
)

// chunkSize is large enough for a request of the workloads. Pools retain the default.
const chunkSize = 16 << 10

// memory allocates a workload's objects from an arena; nil means the Go heap. A struct of one pointer is
// stored in an interface directly, so converting it to workloads.Memory allocates nothing.
type memory struct{ a *arena.Arena }

func (m memory) NewEvent() *workloads.Event     { return arena.New[workloads.Event](m.a) }
func (m memory) NewUser() *workloads.User       { return arena.New[workloads.User](m.a) }
func (m memory) NewAddress() *workloads.Address { return arena.New[workloads.Address](m.a) }
func (m memory) NewDevice() *workloads.Device   { return arena.New[workloads.Device](m.a) }
func (m memory) NewPrice() *workloads.Price     { return arena.New[workloads.Price](m.a) }

func (m memory) AppendField(s []workloads.Field, f workloads.Field) []workloads.Field {
	return arena.Append(m.a, s, f)
}

func (m memory) AppendItem(s []workloads.Item, it workloads.Item) []workloads.Item {
	return arena.Append(m.a, s, it)
}

func (m memory) AppendTag(s []string, tag string) []string { return arena.Append(m.a, s, tag) }
func (m memory) Text(b []byte) string                      { return m.a.AllocBytesToString(b) }
func (m memory) Buffer(n int) []byte                       { return m.a.AllocBytes(n)[:0] }
