package main

import (
	"os"
	"strings"
	"testing"
)

func Example() {
	report(os.Stdout, strings.NewReader(`GET /orders/1 200 4ms region=eu
GET /orders/2 503 9ms region=us
POST /orders 201 21ms region=eu client=web
GET /orders
GET /orders/3 200 1ms region=eu
GET /orders/3 200 fast
`))
	// Output:
	// skipped "GET /orders": want four words
	// skipped "GET /orders/3 200 fast": strconv.Atoi: parsing "fast": invalid syntax
	// POST /orders           1 requests,  21 ms each,  21 at most, 0 failed; eu 1
	// GET /orders/:id        3 requests,   4 ms each,   9 at most, 1 failed; eu 2 us 1
	// 2 lines skipped
}

// The texts of the report must outlive their lines. If a key or a region were not copied, it would change
// with later lines.
func TestReportOutlivesItsLines(t *testing.T) {
	var b strings.Builder
	report(&b, sample(5000)) // 1 of 50 lines is malformed, 1 of 4 is a POST, 1 is for a receipt
	for _, want := range []string{
		"POST /orders         1250 requests", "GET /orders/:id/receipt 1200 requests", "GET /orders/:id      2450 requests",
		" asia 416 eu 417 us 417\n", "101 lines skipped\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing from\n%s", want, b.String()[max(0, b.Len()-500):])
		}
	}
}
