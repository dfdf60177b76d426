package workloads

import "sync"

var words = [...][]byte{
	[]byte("order"), []byte("Ebbe und Flut"), []byte("/v1/orders/17"), []byte("Mozilla/5.0 (X11)"),
	[]byte("24 Tide Lane"), []byte("Harbour City"),
}

// request builds and reads one request: 20 objects of 6 types, 30 strings and 4 slices.
func request(m Requests, seed int) (sum uint64) {
	digest := int64(seed)
	text := func(i int) string {
		s := m.Text(words[(seed+i)%len(words)])
		digest = mix(digest, s)
		return s
	}
	e := m.NewEvent()
	e.ID, e.Session, e.Sent = text(0), text(1), text(2)
	e.User, e.Device = m.NewUser(), m.NewDevice()
	e.User.Name, e.User.Email = text(3), text(4)
	e.User.Address = m.NewAddress()
	e.User.Address.Street, e.User.Address.City = text(5), text(6)
	e.Device.OS = text(7)
	for i := range 6 {
		p := m.NewPrice()
		p.Amount, p.Currency = int64(seed+i), text(8+i)
		e.Items = m.AppendItem(e.Items, Item{SKU: text(14 + i), Qty: int64(i), Price: p})
	}
	for i := range 4 {
		e.Fields = m.AppendField(e.Fields, Field{Key: text(20 + i), Value: "constant"})
	}
	var tags []string
	for i := range 6 {
		tags = m.AppendTag(tags, text(24+i))
	}
	var root *Node
	for range 10 { // the other ten objects
		n := m.Node()
		n.Left = root
		root = n
	}
	scratch := append(m.Buffer(16), "scratch"...)

	for _, it := range e.Items {
		sum += uint64(it.Qty*it.Price.Amount) + uint64(len(it.SKU)+len(it.Price.Currency))
	}
	for _, f := range e.Fields {
		sum += uint64(len(f.Key) + len(f.Value))
	}
	for _, tag := range tags {
		sum = sum*31 + uint64(tag[0])
	}
	for ; root != nil; root = root.Left {
		sum++
	}
	sum += uint64(len(e.ID) + len(e.User.Name) + len(e.User.Address.City) + len(e.Device.OS) + len(scratch))
	return sum + uint64(digest)
}

func requests(m Requests, n int, _ *Watch) (sum uint64) {
	for i := range n {
		sum += request(m, i)
		m.End()
	}
	return sum
}

// poolRequests is the number of requests served by all workers together.
const poolRequests = 2000

// pool serves poolRequests requests in the given number of goroutines. The checksum does not depend on that
// number.
func pool(m Workers, workers int, _ *Watch) (sum uint64) {
	sums := make([]uint64, workers)
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			mine := m.Worker()
			var s uint64 // not in the shared slice, to avoid false sharing
			for i := k; i < poolRequests; i += workers {
				s += request(mine, i)
				mine.End()
			}
			sums[k] = s
		})
	}
	wg.Wait()
	for _, s := range sums {
		sum += s
	}
	return sum
}

type requestsAndInts interface {
	Requests
	MakeInts(n, capacity int) []int
}

// giant serves a request that needs n MB, and small ones after it.
func giant(m requestsAndInts, n int, _ *Watch) uint64 {
	s := m.MakeInts(n<<20/8, n<<20/8)
	for i := 0; i < len(s); i += 512 { // one element of each page
		s[i] = i
	}
	sum := total(s)
	m.End()
	for i := range 100 {
		sum += request(m, i)
		m.End()
	}
	return sum
}

// mix adds a string's length and both ends to h: enough to notice memory that another request overwrote, and
// cheap.
func mix(h int64, s string) int64 {
	h = (h<<5 | int64(uint64(h)>>59)) ^ int64(len(s))
	if n := len(s); n > 0 {
		h ^= int64(s[0])<<8 | int64(s[n/2])<<16 | int64(s[n-1])<<24
	}
	return h
}
