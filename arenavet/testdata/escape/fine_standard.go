package escape

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ebbpool/arena"
)

// Several are copied.
func fineJoin(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Join([]string{"x", a.AllocString(s)}, "/")
}

func fineJoinPath(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return filepath.Join("dir", a.AllocString(s)) + path.Join(a.AllocString(s))
}

func fineUpperBytes(b []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return bytes.ToUpper(append(a.AllocBytes(0), b...)) // want `builtin append`
}

func fineClonedParts(s string) []string {
	a := pool.Get()
	defer pool.Put(a)
	var out []string
	for _, w := range strings.Fields(a.AllocString(s)) {
		out = append(out, strings.Clone(w))
	}
	return out
}

func fineAppend(n int) string {
	a := pool.Get()
	defer pool.Put(a)
	return string(strconv.AppendInt(a.AllocBytes(32)[:0], int64(n), 10))
}

func fineMax(in []int) int {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Max(slices.Sorted(slices.Values(arena.Append(a, nil, in...))))
}

func fineNumbersOfSlices() []int {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Concat(arena.MakeSlice[int](a, 1, 1), arena.MakeSlice[int](a, 2, 2))
}

func fineMapsCopy(to map[string]int, words []string) {
	a := pool.Get()
	defer pool.Put(a)
	from := map[string]int{}
	for _, w := range words {
		from[strings.Clone(a.AllocString(w))]++
	}
	maps.Copy(to, from)
}

// The error is the function's own.
func fineUnquoteError(s string) error {
	a := pool.Get()
	defer pool.Put(a)
	_, err := strconv.Unquote(a.AllocString(s))
	return err
}

var errToken = errors.New("token")

// Only what has a %w is kept; the rest is copied as text.
func fineErrorf(s string) error {
	a := pool.Get()
	defer pool.Put(a)
	err := &syntaxError{token: a.AllocString(s)}
	return fmt.Errorf("%w: %s: %v", errToken, a.AllocString(s), err)
}

// Readers that don't leave.

func fineReader(s string) ([]byte, error) {
	a := pool.Get()
	defer pool.Put(a)
	return io.ReadAll(bufio.NewReader(strings.NewReader(a.AllocString(s))))
}

func fineDecoder(s string) (v map[string]string, err error) {
	a := pool.Get()
	defer pool.Put(a)
	err = json.NewDecoder(strings.NewReader(a.AllocString(s))).Decode(&v)
	return v, err
}

func fineCSV(s string) ([][]string, error) {
	a := pool.Get()
	defer pool.Put(a)
	return csv.NewReader(strings.NewReader(a.AllocString(s))).ReadAll()
}

func fineBuffer(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	b := bytes.NewBuffer(a.AllocBytes(100)[:0])
	b.WriteString(s)
	return b.String()
}

func fineRequest(s string) (int, error) {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse("https://example.com/" + url.PathEscape(a.AllocString(s)))
	if err != nil {
		return 0, err
	}
	req, err := http.NewRequest("POST", u.String(), strings.NewReader(strings.Clone(a.AllocString(s))))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Id", a.AllocString(s))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

func fineHeader(w http.ResponseWriter, r *http.Request) {
	a := pool.Get()
	defer pool.Put(a)
	w.Header().Set("X-Id", strings.Clone(a.AllocString(r.URL.Path)))
	fmt.Fprintln(w, a.AllocString(r.URL.Path))
}

// Something comes before or after it for sure.
func fineConcatenated(s, other string, n int) (string, string) {
	a := pool.Get()
	defer pool.Put(a)
	w := a.AllocString(s)
	return w + ":" + other, other + "/" + w + other + strconv.Itoa(n) + w
}

// What is empty is no part of it.
func fineNothing(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return s + a.AllocString(s)[:0]
}

func fineQuoted(s string, n int, quote rune) (string, string, string) {
	a := pool.Get()
	defer pool.Put(a)
	w := a.AllocString(s)
	return strconv.Itoa(n) + w, string(quote) + w, w + w
}

func fineRanged(s string) (out []string, n int) {
	a := pool.Get()
	defer pool.Put(a)
	for w := range strings.FieldsSeq(a.AllocString(s)) {
		out = append(out, strings.Clone(w))
		n += len(w)
	}
	return out, n
}

func fineRangedIndex(s string) int {
	a := pool.Get()
	defer pool.Put(a)
	for i, w := range slices.All(strings.Fields(a.AllocString(s))) {
		if w == "x" {
			return i
		}
	}
	return 0
}
