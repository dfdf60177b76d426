// Package corpora contains the documents by which JSON codecs are measured, and Go types for them: the
// documents of the standard library's benchmarks, and a typical request of a service.
package corpora

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Corpus is a document and the type into which it is decoded.
type Corpus struct {
	Name string
	file string
	New  func() any // returns a pointer to a zero value of the type
}

// All lists the corpora, the large ones first.
var All = []Corpus{
	{"twitter", "twitter_status", func() any { return new(Twitter) }},
	{"citm", "citm_catalog", func() any { return new(Citm) }},
	{"golang_source", "golang_source", func() any { return new(Golang) }},
	{"canada", "canada_geometry", func() any { return new(Canada) }},
	{"synthea", "synthea_fhir", func() any { return new(Synthea) }},
	{"string_unicode", "string_unicode", func() any { return new(map[string]string) }},
	{"string_escaped", "string_escaped", func() any { return new(map[string]string) }},
	{"request", "", func() any { return new(Order) }},
}

// Read returns the document. The large ones are compressed files of the Go installation.
func (c *Corpus) Read() ([]byte, error) {
	if c.file == "" {
		return json.Marshal(request())
	}
	//lint:ignore SA1019 where it is empty or wrong the go command is asked
	root := runtime.GOROOT()
	if root == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return nil, err
		}
		root = strings.TrimSpace(string(out))
	}
	folder := filepath.Join(root, "src", "encoding", "json", "internal", "jsontest")
	path := filepath.Join(folder, "testdata", c.file+".json.zst")
	if _, err := os.Stat(path); err != nil { // their place from Go 1.27 on
		path = filepath.Join(folder, "_embed", c.file+".json.zst")
	}
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Golang is the source tree of Go, with the times of changes.
type Golang struct {
	Tree     *GolangNode `json:"tree"`
	Username string      `json:"username"`
}

// GolangNode is a file or directory.
type GolangNode struct {
	Name     string        `json:"name"`
	Kids     []*GolangNode `json:"kids"`
	CLWeight float64       `json:"cl_weight"`
	Touches  int           `json:"touches"`
	MinT     int64         `json:"min_t"`
	MaxT     int64         `json:"max_t"`
	MeanT    int64         `json:"mean_t"`
}

// Canada is the border of Canada, in GeoJSON.
type Canada struct {
	Type     string `json:"type"`
	Features []struct {
		Type       string `json:"type"`
		Properties struct {
			Name string `json:"name"`
		} `json:"properties"`
		Geometry struct {
			Type        string         `json:"type"`
			Coordinates [][][2]float64 `json:"coordinates"`
		} `json:"geometry"`
	} `json:"features"`
}

// Order is a request of about 2 KB.
type Order struct {
	ID       string     `json:"id"`
	Created  string     `json:"created"`
	Currency string     `json:"currency"`
	Total    int64      `json:"total"`
	Paid     bool       `json:"paid"`
	Customer Customer   `json:"customer"`
	Shipping *Address   `json:"shipping,omitempty"`
	Billing  *Address   `json:"billing,omitempty"`
	Items    []LineItem `json:"items"`
	Comment  string     `json:"comment,omitempty"`
}

type Customer struct {
	ID    int64    `json:"id"`
	Name  string   `json:"name"`
	Email string   `json:"email"`
	Phone *string  `json:"phone"`
	Tags  []string `json:"tags"`
}

type Address struct {
	Street  string `json:"street"`
	City    string `json:"city"`
	Zip     string `json:"zip"`
	Country string `json:"country"`
}

// LineItem is an item of an order.
type LineItem struct {
	SKU      string   `json:"sku"`
	Name     string   `json:"name"`
	Quantity int      `json:"quantity"`
	Price    float64  `json:"price"`
	Discount *float64 `json:"discount,omitempty"`
	Options  []string `json:"options"`
	Gift     bool     `json:"gift"`
}

func request() *Order {
	phone, discount := "+49 30 1234567", 0.15
	o := &Order{
		ID: "3f2b8c1e-77aa-4c0e-9d5e-0a1b2c3d4e5f", Created: time.Date(2026, 3, 14, 15, 9, 26, 535e6, time.UTC).Format(time.RFC3339Nano),
		Currency: "EUR", Total: 48317, Paid: true,
		Customer: Customer{ID: 8844221, Name: "Zoë Müller-Lüdenscheidt", Email: "zoe.mueller@example.com", Phone: &phone, Tags: []string{"returning", "newsletter", "b2c"}},
		Shipping: &Address{"Unter den Linden 77, 3. Stock", "Berlin", "10117", "DE"},
		Billing:  &Address{"Straße des 17. Juni 135", "Berlin", "10623", "DE"},
		Comment:  "Please ring twice, \"the bell\" is slow.\nLeave it with the neighbour otherwise.",
	}
	for i := range 10 {
		l := LineItem{SKU: fmt.Sprintf("SKU-%06d-%c", 104729*(i+1)%999983, 'A'+i), Name: "Article number " + strings.Repeat("x", i) + ", made of oak", Quantity: i%3 + 1, Price: float64(1999+i*250) / 100, Options: []string{"colour:black", fmt.Sprint("size:", 36+i)}, Gift: i%4 == 0}
		if i%3 == 0 {
			l.Discount = &discount
		}
		o.Items = append(o.Items, l)
	}
	return o
}
