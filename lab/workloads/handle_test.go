package workloads_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ebbpool/arena/lab/workloads"
)

// plain is Memory in its most obvious form, for the tests' comparisons.
type plain struct{}

func (plain) NewEvent() *workloads.Event     { return new(workloads.Event) }
func (plain) NewUser() *workloads.User       { return new(workloads.User) }
func (plain) NewAddress() *workloads.Address { return new(workloads.Address) }
func (plain) NewDevice() *workloads.Device   { return new(workloads.Device) }
func (plain) NewPrice() *workloads.Price     { return new(workloads.Price) }
func (plain) Text(b []byte) string           { return string(b) }
func (plain) Buffer(n int) []byte            { return make([]byte, 0, n) }
func (plain) AppendField(s []workloads.Field, f workloads.Field) []workloads.Field {
	return append(s, f)
}
func (plain) AppendItem(s []workloads.Item, it workloads.Item) []workloads.Item {
	return append(s, it)
}
func (plain) AppendTag(s []string, tag string) []string { return append(s, tag) }

// combined is Combined Log Format as a regular expression: slow and plain.
var combined = regexp.MustCompile(`^(\S+) (\S+) (\S+) \[([^\]]+)\] "(\S+) ([^\s?]+)\??(\S*) ([^"]+)" (\d+) (\d+|-) "([^"]*)" "([^"]*)"$`)

// reference builds the Event of a payload by regexp, encoding/json and
// time.Parse.
func reference(t *testing.T, payload []byte) *workloads.Event {
	t.Helper()
	line, body, _ := bytes.Cut(payload, []byte("\n"))
	f := combined.FindStringSubmatch(string(line))
	if f == nil {
		t.Fatalf("the reference can't read the line %q", line)
	}
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", f[4])
	if err != nil {
		t.Fatal(err)
	}
	status, _ := strconv.ParseInt(f[9], 10, 64)
	size, _ := strconv.ParseInt(f[10], 10, 64) // "-" gives 0
	e := &workloads.Event{Line: workloads.Line{
		IP: f[1], Ident: f[2], Auth: f[3], Unix: at.Unix(), Method: f[5], Path: f[6],
		Query: f[7], Proto: f[8], Status: status, Bytes: size, Referer: f[11], Agent: f[12],
	}}
	for pair := range strings.SplitSeq(f[7], "&") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			e.Fields = append(e.Fields, workloads.Field{Key: key, Value: value})
		}
	}
	// encoding/json matches names without regard to case; attrs go by a map,
	// whose keys encoding/json had written in sorted order.
	var doc struct {
		workloads.Event
		Line, Fields struct{}
		Attrs        map[string]string
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	e.ID, e.Session, e.Sent = doc.ID, doc.Session, doc.Sent
	e.User, e.Device, e.Items = doc.User, doc.Device, doc.Items
	var keys []string
	for key := range doc.Attrs {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		e.Fields = append(e.Fields, workloads.Field{Key: key, Value: doc.Attrs[key]})
	}
	for i := range e.Items {
		if len(e.Items[i].Tags) == 0 {
			e.Items[i].Tags = nil // "[]" is a slice of length 0 here, nil there
		}
	}
	return e
}

func TestDecodeAgreesWithReference(t *testing.T) {
	for _, seed := range []uint64{1, 42} {
		src := workloads.NewSource(seed, 1000)
		for i := range 1000 {
			payload := src.AppendPayload(nil, i)
			got, err := workloads.Decode(plain{}, payload)
			if err != nil {
				t.Fatalf("request %d: %v\n%s", i, err, payload)
			}
			if want := reference(t, payload); !reflect.DeepEqual(got, want) {
				t.Fatalf("request %d of seed %d:\n%s\ngot  %+v\nwant %+v", i, seed, payload, got, want)
			}
		}
	}
}

func TestAnswerIsJSONOfTheEvent(t *testing.T) {
	src := workloads.NewSource(7, 1500)
	longest := 0
	for i := range 1500 {
		payload := src.AppendPayload(nil, i)
		out, err := workloads.Handle(plain{}, nil, payload)
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, len(out))
		var got struct {
			ID, IP, Path, User, Country, OS              string
			At, Status, Bytes, Items, Qty, Total, Fields int64
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		e := reference(t, payload)
		var qty, total int64
		for _, it := range e.Items {
			qty += it.Qty
			total += it.Qty * it.Price.Amount
		}
		want := got
		want.ID, want.IP, want.Path, want.User = e.ID, e.Line.IP, e.Line.Path, e.User.Name
		want.Country, want.OS, want.At = e.User.Address.Country, e.Device.OS, e.Line.Unix
		want.Status, want.Bytes, want.Items = e.Line.Status, e.Line.Bytes, int64(len(e.Items))
		want.Qty, want.Total, want.Fields = qty, total, int64(len(e.Fields))
		if got != want {
			t.Fatalf("request %d:\ngot  %+v\nwant %+v", i, got, want)
		}
	}
	if longest > 512 {
		t.Errorf("an answer of %d bytes doesn't fit the room it is given", longest)
	}
}

func TestPayloads(t *testing.T) {
	a, b, other := workloads.NewSource(3, 4096), workloads.NewSource(3, 1<<40), workloads.NewSource(4, 4096)
	seen := map[string]bool{}
	for _, i := range []int{0, 1, 4095, 4096, 8192, 1_234_567_890} {
		p := a.AppendPayload(nil, i)
		if !bytes.Equal(p, b.AppendPayload(nil, i)) {
			t.Errorf("request %d differs between two sources of one seed", i)
		}
		if bytes.Equal(p, other.AppendPayload(nil, i)) {
			t.Errorf("request %d is the same for two seeds", i)
		}
		if seen[string(p)] {
			t.Errorf("request %d repeats another", i)
		}
		seen[string(p)] = true
		e, err := workloads.Decode(plain{}, p)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(e.ID, "req-")); err != nil || n != i {
			t.Errorf("request %d has the id %q", i, e.ID)
		}
	}
	prefixed := a.AppendPayload([]byte("kept"), 5)
	if want := "kept" + string(a.AppendPayload(nil, 5)); string(prefixed) != want {
		t.Errorf("AppendPayload to a prefix: got %q", prefixed)
	}
}

func TestBadPayloads(t *testing.T) {
	good := string(workloads.NewSource(1, 8).AppendPayload(nil, 0))
	line, body, _ := strings.Cut(good, "\n")
	for _, bad := range []string{
		"", line, line + "\n", line + "\n[]", line + "\n" + body[:len(body)-1],
		line + `x` + "\n" + body, line[1:],
		strings.Replace(line, "[", "", 1) + "\n" + body,
		strings.Replace(line, "] ", "]", 1) + "\n" + body,
		strings.Replace(line, "/Jan/", "/anF/", 1) + "\n" + "{",
		line + "\n" + `{"items":[{"qty":"two"}]}`,
		line + "\n" + `{"user":{"address":7}}`,
	} {
		dst := []byte("before")
		out, err := workloads.Handle(plain{}, dst, []byte(bad))
		if err == nil {
			t.Errorf("no error for %q: %s", bad, out)
		}
		if string(out) != "before" {
			t.Errorf("%q: dst is %q after an error", bad, out)
		}
	}
}

// FuzzHandle: whatever comes in, the handler answers or says no; what it
// answers to text is JSON.
func FuzzHandle(f *testing.F) {
	src := workloads.NewSource(1, 8)
	for i := range 8 {
		f.Add(src.AppendPayload(nil, i))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		out, err := workloads.Handle(plain{}, nil, payload)
		if err == nil && utf8.Valid(payload) && !json.Valid(out) {
			t.Errorf("the answer to %q is no JSON: %s", payload, out)
		}
		if err != nil && out != nil {
			t.Errorf("%v, and yet an answer: %s", err, out)
		}
	})
}
