// Package workloads holds the work the lab measures, and the generator of the load
// test's requests.
//
// A kind of work is written once. Where its memory comes from is the business of what
// it is given, so that what is compared is memory.
package workloads

// Event is the root of a request's objects: a pointerful object graph of the
// size and shape that web services build and drop per request.
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
	Bytes           int64 // 0 where the log has '-'
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

// Device describes what the user holds in hand.
type Device struct {
	OS, Browser   string
	Width, Height int64
}

// Item is one position of an order.
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

// Memory is where a request's objects come from. One Memory serves one
// request at a time; everything it handed out is dead when the request ends.
//
// All New methods return zeroed objects. The Append methods take nil or the
// slice that the same method returned last.
type Memory interface {
	NewEvent() *Event
	NewUser() *User
	NewAddress() *Address
	NewDevice() *Device
	NewPrice() *Price
	AppendField(s []Field, f Field) []Field
	AppendItem(s []Item, it Item) []Item
	AppendTag(s []string, tag string) []string
	// Text returns a string that holds a copy of b.
	Text(b []byte) string
	// Buffer returns an empty slice with room for n bytes.
	Buffer(n int) []byte
}
