// Package payloads generates the input of the load test and related programs.
package payloads

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// distinct is the number of payloads of a Source. Their total of some 5 MB exceeds a core's private caches,
// as with real requests.
const distinct = 4096

// idDigits is the width of the request's index in its id.
const idDigits = 10

// Source generates the payloads of a run. The same seed gives the same payloads on every machine; the payload
// of request i depends only on the seed and i.
//
// Payloads are prepared in advance, and requests with the same template differ in the index in their id.
// Generating requests during the measurement would allocate and be measured.
type Source struct {
	payloads []payload
}

type payload struct {
	text []byte
	id   int // offset of the id's digits
}

// NewSource prepares the payloads of a seed for requests 0 to requests-1.
func NewSource(seed uint64, requests int) *Source {
	s := &Source{make([]payload, min(requests, distinct))}
	for i := range s.payloads {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		text := logLine(rng)
		text = append(text, '\n')
		text = append(text, document(rng)...)
		// The template's id is all zeros and the document's first member.
		id := bytes.Index(text, []byte(`{"id":"req-`)) + len(`{"id":"req-`)
		s.payloads[i] = payload{text, id}
	}
	return s
}

// AppendPayload appends the payload of request i to dst.
func (s *Source) AppendPayload(dst []byte, i int) []byte {
	p := &s.payloads[i%distinct]
	start := len(dst)
	dst = append(dst, p.text...)
	digits := dst[start+p.id:][:idDigits]
	for k := len(digits) - 1; k >= 0; k-- {
		digits[k] = byte('0' + i%10)
		i /= 10
	}
	return dst
}

// logLine returns a line in Combined Log Format.
func logLine(rng *rand.Rand) []byte {
	target := pick(rng, paths)
	if n := rng.IntN(6); n > 0 && rng.IntN(3) > 0 {
		sep := "?"
		for range n {
			target += sep + pick(rng, queryKeys) + "=" + pick(rng, queryValues)
			sep = "&"
		}
	}
	auth, size := "-", "-"
	if rng.IntN(4) == 0 {
		auth = "user" + strconv.Itoa(rng.IntN(100_000))
	}
	if rng.IntN(10) > 0 {
		size = strconv.Itoa(rng.IntN(1 << 17))
	}
	zone := time.FixedZone("", pick(rng, zones))
	at := time.Unix(1_704_067_200+rng.Int64N(366*24*3600), 0).In(zone)
	return fmt.Appendf(nil, `%s - %s [%s] "%s %s HTTP/%s" %d %s "%s" "%s"`,
		address(rng), auth, at.Format("02/Jan/2006:15:04:05 -0700"),
		pick(rng, methods), target, pick(rng, []string{"1.1", "2.0"}),
		pick(rng, statuses), size, pick(rng, referers), pick(rng, agents))
}

// address returns an IPv4 or IPv6 address of the ranges for documentation.
func address(rng *rand.Rand) string {
	if rng.IntN(4) == 0 {
		return fmt.Sprintf("2001:db8:%x:%x::%x", rng.IntN(1<<16), rng.IntN(1<<16), 1+rng.IntN(1<<16))
	}
	net := pick(rng, []string{"192.0.2", "198.51.100", "203.0.113"})
	return fmt.Sprintf("%s.%d", net, 1+rng.IntN(254))
}

// The types of the document. They are separate from the handlers' types and marshaled by encoding/json, so
// that the decoder is not tested against itself.
type (
	doc struct {
		ID      string     `json:"id"`
		Session string     `json:"session"`
		Sent    time.Time  `json:"sent"`
		User    docUser    `json:"user"`
		Device  docDevice  `json:"device"`
		Consent []bool     `json:"consent"` // unknown to the handler
		Items   []docItem  `json:"items"`
		Attrs   docAttrs   `json:"attrs"`
		Geo     [2]float64 `json:"geo"` // also unknown
	}
	docUser struct {
		ID      int64      `json:"id"`
		Name    string     `json:"name"`
		Email   string     `json:"email"`
		Address docAddress `json:"address"`
	}
	docAddress struct {
		Street  string `json:"street"`
		City    string `json:"city"`
		Zip     string `json:"zip"`
		Country string `json:"country"`
	}
	docDevice struct {
		OS      string `json:"os"`
		Browser string `json:"browser"`
		Width   int64  `json:"width"`
		Height  int64  `json:"height"`
	}
	docItem struct {
		SKU   string   `json:"sku"`
		Title string   `json:"title"`
		Qty   int64    `json:"qty"`
		Price docPrice `json:"price"`
		Tags  []string `json:"tags"`
	}
	docPrice struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	}
	docAttrs map[string]string
)

// document returns the JSON document of one order.
func document(rng *rand.Rand) []byte {
	first, last := pick(rng, firstNames), pick(rng, lastNames)
	city, screen := pick(rng, cities), pick(rng, screens)
	d := doc{
		ID:      "req-" + fmt.Sprintf("%0*d", idDigits, 0),
		Session: fmt.Sprintf("%016x%016x", rng.Uint64(), rng.Uint64()),
		Sent:    time.Unix(1_704_067_200+rng.Int64N(366*24*3600), 0).UTC(),
		User: docUser{
			ID: rng.Int64N(1 << 40), Name: first + " " + last,
			Email: fmt.Sprintf("%s.%d@mail.example.com", string(first[0]|0x20), rng.IntN(1_000_000)),
			Address: docAddress{
				pick(rng, streets), city[0], fmt.Sprintf("%05d", rng.IntN(100_000)), city[1],
			},
		},
		Device:  docDevice{pick(rng, systems), pick(rng, browsers), screen[0], screen[1]},
		Consent: []bool{true, rng.IntN(2) == 0},
		Items:   make([]docItem, 1+rng.IntN(6)),
		Attrs:   docAttrs{},
		Geo:     [2]float64{rng.Float64()*180 - 90, rng.Float64()*360 - 180},
	}
	currency := pick(rng, currencies)
	for i := range d.Items {
		d.Items[i] = docItem{
			SKU:   fmt.Sprintf("EB-%04d-%03d", rng.IntN(10_000), rng.IntN(1000)),
			Title: pick(rng, titles), Qty: 1 + rng.Int64N(4),
			Price: docPrice{99 + rng.Int64N(40_000), currency},
			Tags:  []string{},
		}
		for range rng.IntN(4) {
			d.Items[i].Tags = append(d.Items[i].Tags, pick(rng, tags))
		}
	}
	for range 2 + rng.IntN(8) {
		d.Attrs[pick(rng, attrKeys)] = pick(rng, attrValues)
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // these types can always be marshaled
	}
	return text
}

func pick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }
