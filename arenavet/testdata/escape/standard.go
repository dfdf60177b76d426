package escape

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebbpool/arena"
)

// Functions that return what they were given where there is nothing to change.

func joinOne(words []string) string {
	a := pool.Get()
	defer pool.Put(a)
	kept := arena.MakeSlice[string](a, 0, 4)
	for _, w := range words {
		kept = arena.Append(a, kept, a.AllocString(w))
	}
	return strings.Join(kept, " ") // want `return of memory of arena a`
}

func joinPathOne(s, dir string) string {
	a := pool.Get()
	defer pool.Put(a)
	return filepath.Join(dir, a.AllocString(s)) // want `return of memory of arena a`
}

func repeatOnce(s string, n int) string {
	a := pool.Get()
	defer pool.Put(a)
	return strings.Repeat(a.AllocString(s), n) // want `return of memory of arena a`
}

var quotes = strings.NewReplacer(`"`, `\"`)

func replacer(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return quotes.Replace(a.AllocString(s)) // want `return of memory of arena a`
}

func queryUnescape(s string) (string, error) {
	a := pool.Get()
	defer pool.Put(a)
	return url.QueryUnescape(a.AllocString(s)) // want `return of memory of arena a`
}

// The error quotes what could not be unescaped.
func queryUnescapeError(s string) error {
	a := pool.Get()
	defer pool.Put(a)
	_, err := url.QueryUnescape(a.AllocString(s))
	return err // want `return of memory of arena a`
}

func queryEscape(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return url.QueryEscape(a.AllocString(s)) // want `return of memory of arena a`
}

func parsedURL(s string) (*url.URL, error) {
	a := pool.Get()
	defer pool.Put(a)
	return url.Parse(a.AllocString(s)) // want `return of memory of arena a`
}

func parsedPath(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(a.AllocString(s))
	if err != nil {
		return ""
	}
	return u.Path // want `return of memory of arena a`
}

func parsedQuery(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	u, err := url.Parse(a.AllocString(s))
	if err != nil {
		return ""
	}
	return u.Query().Get("id") // want `return of memory of arena a`
}

func pathClean(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return path.Clean(a.AllocString(s)) // want `return of memory of arena a`
}

func pathBase(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return filepath.Base(a.AllocString(s)) // want `return of memory of arena a`
}

func htmlEscape(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return html.EscapeString(a.AllocString(s)) // want `return of memory of arena a`
}

func unquoted(s string) (string, error) {
	a := pool.Get()
	defer pool.Put(a)
	return strconv.Unquote(a.AllocString(s)) // want `return of memory of arena a`
}

func mediaType(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	_, params, err := mime.ParseMediaType(a.AllocString(s))
	if err != nil {
		return ""
	}
	return params["charset"] // want `return of memory of arena a`
}

var digits = regexp.MustCompile(`\d+`)

func found(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return digits.FindString(a.AllocString(s)) // want `return of memory of arena a`
}

func foundSubmatch(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return digits.FindAllStringSubmatch(a.AllocString(s), -1)[0][0] // want `return of memory of arena a`
}

func firstOf(s string) string {
	a := pool.Get()
	defer pool.Put(a)
	return cmp.Or(s, a.AllocString(s)) // want `return of memory of arena a`
}

// Functions that return an element, or copy no deeper than the elements.

func longest(words []string) *Entry {
	a := pool.Get()
	defer pool.Put(a)
	list := arena.MakeSlice[*Entry](a, 0, 4)
	list = arena.Append(a, list, arena.New[Entry](a))
	return slices.MaxFunc(list, func(x, y *Entry) int { return x.N - y.N }) // want `return of memory of arena a`
}

func concatenated(a1 []*Entry) []*Entry {
	a := pool.Get()
	defer pool.Put(a)
	list := []*Entry{arena.New[Entry](a)}
	return slices.Concat(a1, list) // want `return of memory of arena a`
}

func clonedKeys(words []string) map[string]int {
	a := pool.Get()
	defer pool.Put(a)
	count := map[string]int{}
	for _, w := range words {
		count[a.AllocString(w)]++
	}
	return maps.Clone(count) // want `return of memory of arena a`
}

func sortedKeys(words []string) []string {
	a := pool.Get()
	defer pool.Put(a)
	count := map[string]int{}
	for _, w := range words {
		count[a.AllocString(w)]++
	}
	return slices.Sorted(maps.Keys(count)) // want `return of memory of arena a`
}

func collected(s string) []string {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Collect(strings.SplitSeq(a.AllocString(s), ",")) // want `return of memory of arena a`
}

func values() []*Entry {
	a := pool.Get()
	defer pool.Put(a)
	list := arena.MakeSlice[*Entry](a, 1, 1)
	list[0] = arena.New[Entry](a)
	return slices.Collect(slices.Values(list)) // want `return of memory of arena a`
}

func mapsCopy(to map[string]*Entry) {
	a := pool.Get()
	defer pool.Put(a)
	from := map[string]*Entry{"x": arena.New[Entry](a)}
	maps.Copy(to, from) // want `is stored where it outlives the function`
}

// Functions that return a slice that they were given with more at its end.

func appendInt(n int) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return strconv.AppendInt(a.AllocBytes(32)[:0], int64(n), 10) // want `return of memory of arena a`
}

func appendFormat(n int) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return fmt.Appendf(a.AllocBytes(32)[:0], "%d", n) // want `return of memory of arena a`
}

func appendBinary(n uint32) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := binary.BigEndian.AppendUint32(a.AllocBytes(32)[:0], n)
	b = binary.AppendUvarint(b, uint64(n))
	return b // want `return of memory of arena a`
}

func appendTime(t time.Time) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return t.AppendFormat(a.AllocBytes(32)[:0], time.RFC3339) // want `return of memory of arena a`
}

func appendBase64(src []byte) []byte {
	a := pool.Get()
	defer pool.Put(a)
	return base64.StdEncoding.AppendEncode(a.AllocBytes(32)[:0], src) // want `return of memory of arena a`
}

func inserted(s string) []string {
	a := pool.Get()
	defer pool.Put(a)
	return slices.Insert([]string{s}, 0, a.AllocString(s)) // want `return of memory of arena a`
}

// It is in the caller's slice, if that has room for it.
func insertedInto(list []*Entry) int {
	a := pool.Get()
	defer pool.Put(a)
	return len(slices.Insert(list, 0, arena.New[Entry](a))) // want `is stored where it outlives the function`
}

// Functions whose result holds what they were given.

func newError(s string) error {
	a := pool.Get()
	defer pool.Put(a)
	return errors.New(a.AllocString(s)) // want `return of memory of arena a`
}

type syntaxError struct{ token string }

func (e *syntaxError) Error() string { return e.token } // want Error:"1 flows"

func wrappedError(s string) error {
	a := pool.Get()
	defer pool.Put(a)
	err := &syntaxError{token: a.AllocString(s)}
	return fmt.Errorf("%5d lines, %*d, %%: %w", 1, 2, 3, err) // want `return of memory of arena a`
}

func joinedErrors(s string, other error) error {
	a := pool.Get()
	defer pool.Put(a)
	return errors.Join(other, errors.New(a.AllocString(s))) // want `return of memory of arena a`
}

type ctxKey struct{}

func contextValue(ctx context.Context, s string) context.Context {
	a := pool.Get()
	defer pool.Put(a)
	return context.WithValue(ctx, ctxKey{}, a.AllocString(s)) // want `return of memory of arena a`
}

func reader(s string) io.Reader {
	a := pool.Get()
	defer pool.Put(a)
	return bufio.NewReader(strings.NewReader(a.AllocString(s))) // want `return of memory of arena a`
}

func buffer(s string) []byte {
	a := pool.Get()
	defer pool.Put(a)
	b := bytes.NewBuffer(a.AllocBytes(100)[:0])
	b.WriteString(s)
	return b.Bytes() // want `return of memory of arena a`
}

func header(w http.ResponseWriter, r *http.Request) {
	a := pool.Get()
	defer pool.Put(a)
	w.Header().Set("X-Id", a.AllocString(r.URL.Path)) // want `is stored where it outlives the function`
}

// With an empty suffix it is the string itself.
func concatenatedSuffix(s, suffix string) string {
	a := pool.Get()
	defer pool.Put(a)
	return a.AllocString(s) + suffix // want `return of memory of arena a`
}

// In the first turn it is the word itself.
func concatenatedWords(words []string) string {
	a := pool.Get()
	defer pool.Put(a)
	out, sep := "", ""
	for _, w := range words {
		out += sep + a.AllocString(w)
		sep = " "
	}
	return out // want `return of memory of arena a`
}

// The standard library's iterators yield parts of what they go through.

func ranged(s string) []string {
	a := pool.Get()
	defer pool.Put(a)
	var out []string
	for w := range strings.FieldsSeq(a.AllocString(s)) {
		out = append(out, w)
	}
	return out // want `return of memory of arena a`
}

func rangedReturn(words []string) *Entry {
	a := pool.Get()
	defer pool.Put(a)
	list := arena.MakeSlice[*Entry](a, 1, 1)
	list[0] = arena.New[Entry](a)
	for _, e := range slices.Backward(list) {
		if e.N > 0 {
			return e // want `return of memory of arena a`
		}
	}
	return nil
}

func rangedKeys(words []string) (last string) {
	a := pool.Get()
	defer pool.Put(a)
	count := map[string]int{}
	for _, w := range words {
		count[a.AllocString(w)]++
	}
	for k := range maps.Keys(count) {
		last = k
	}
	return last // want `return of memory of arena a`
}
