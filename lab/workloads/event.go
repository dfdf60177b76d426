// Package workloads contains the work that the lab measures, and the generator of the load test's requests.
//
// Each kind of work is written once and gets its memory as a parameter, so that only the memory differs.
package workloads

// Event is the root of a request's objects: an object graph with pointers, of the size and shape of web
// services' requests.
type Event struct {
	Line    Line
	ID      string
	Session string
	Sent    string
	User    *User
	Device  *Device
	Items   []Item
	Fields  []Field
}

// Line is one access-log line in Combined Log Format.
type Line struct {
	IP, Ident, Auth string
	Unix            int64 // seconds since 1970
	Method          string
	Path            string
	Query           string // without '?'
	Proto           string
	Status          int64
	Bytes           int64 // 0 for '-' in the log
	Referer, Agent  string
}

// User is a nested object, reached by pointer as decoders usually build it.
type User struct {
	ID      int64
	Name    string
	Email   string
	Address *Address
}

// Address is nested two deep.
type Address struct {
	Street, City, Zip, Country string
}

// Device describes the user's device.
type Device struct {
	OS, Browser   string
	Width, Height int64
}

// Item is an item of an order.
type Item struct {
	SKU, Title string
	Qty        int64
	Price      *Price
	Tags       []string
}

// Price is an amount in hundredths of a currency unit.
type Price struct {
	Amount   int64
	Currency string
}

// Field is one key and its value.
type Field struct {
	Key, Value string
}

// Memory allocates the objects of a request. One Memory serves one request at a time; its objects must not be
// used after the request.
//
// All New methods return zeroed objects. The Append methods take nil or the slice that the same method
// returned last.
type Memory interface {
	NewEvent() *Event
	NewUser() *User
	NewAddress() *Address
	NewDevice() *Device
	NewPrice() *Price
	AppendField(s []Field, f Field) []Field
	AppendItem(s []Item, it Item) []Item
	AppendTag(s []string, tag string) []string
	// Text returns b as a string in new memory.
	Text(b []byte) string
	// Buffer returns an empty slice with capacity n.
	Buffer(n int) []byte
}
