package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What is known of the standard library, which is not analyzed itself: which
// results are, hold or lead to what a function was given, and which functions
// keep it or start goroutines. Each entry was read in Go's source.

// yield says what a result of a function has to do with an argument.
type yield uint8

const (
	same       yield = iota + 1 // it may be the argument, or a part of it
	parts                       // all texts in it may be parts of the argument
	inner                       // all texts in it may be parts of what the argument leads to
	item                        // one of the argument's elements
	joined                      // as item, but a copy where the source lists several
	joinedPath                  // the last element, where those before it may be empty
	cloned                      // something that holds the argument's elements, or an iterator over them
	merged                      // a slice of the elements of the argument's elements
	keys                        // an iterator over the argument's keys
	holder                      // something that holds the argument, or an iterator over its parts
	wrapper                     // an error that wraps the errors that a format has a %w for
	grown                       // the argument with more at its end, or a copy where it was full
	grownBy                     // grown, by elements of the last argument
)

// result is what a function's results have to do with its arguments, by
// number; a method's receiver is number 0. An error among several results is
// its own, unless inError says that it quotes the argument, too.
type result struct {
	is      yield
	args    []int
	inError bool
}

// results lists functions by their full name, and by "text." those that
// packages strings and bytes both have and that do the same in both.
var results = map[string]result{
	"slices.Clip": first(same), "slices.Delete": first(same), "slices.DeleteFunc": first(same),
	"slices.Compact": first(same), "slices.CompactFunc": first(same),
	"slices.Grow": first(grown), "slices.Insert": first(grownBy), "slices.Replace": first(grownBy), "slices.AppendSeq": first(grownBy),
	"slices.Clone": first(cloned), "slices.Repeat": first(cloned), "slices.Concat": first(merged),
	"slices.All": first(cloned), "slices.Values": first(cloned), "slices.Backward": first(cloned), "slices.Chunk": first(holder),
	"slices.Collect": first(cloned), "slices.Sorted": first(cloned), "slices.SortedFunc": first(cloned), "slices.SortedStableFunc": first(cloned),
	"slices.Max": first(item), "slices.MaxFunc": first(item), "slices.Min": first(item), "slices.MinFunc": first(item),
	"maps.Clone": first(cloned), "maps.All": first(cloned), "maps.Values": first(cloned), "maps.Keys": first(keys), "maps.Collect": first(cloned),
	"cmp.Or": first(item),

	"sync.RWMutex.RLocker": first(same),

	// A Value stands for the pointer or slice in it, not for what that leads to.
	"reflect.ValueOf": first(same), "reflect.Value.Interface": first(same), "reflect.Value.Slice": first(same), "reflect.Value.Slice3": first(same),
	"reflect.Value.UnsafePointer": first(same), "reflect.Value.Bytes": first(same), "reflect.TypeAssert": first(same),

	"errors.New": first(holder), "errors.Join": first(cloned), "fmt.Errorf": first(wrapper),
	"context.WithValue": at(holder, 0, 1, 2), "context.WithCancel": first(holder), "context.WithCancelCause": first(holder),
	"context.WithTimeout": first(holder), "context.WithTimeoutCause": first(holder), "context.WithoutCancel": first(holder),
	"context.WithDeadline": first(holder), "context.WithDeadlineCause": first(holder), "net/http.Request.WithContext": at(holder, 1),
	"text.NewReader": first(holder), "strings.NewReplacer": first(cloned),
	"bytes.NewBuffer": first(holder), "bytes.Buffer.Bytes": first(item), "bytes.Buffer.Next": first(item), "bytes.Buffer.AvailableBuffer": first(item), "bytes.Buffer.Peek": first(item),
	"bufio.NewReader": first(holder), "bufio.NewReaderSize": first(holder), "bufio.NewWriter": first(holder), "bufio.NewWriterSize": first(holder),
	"bufio.NewScanner": first(holder), "bufio.NewReadWriter": at(holder, 0, 1),
	"io.NopCloser": first(holder), "io.LimitReader": first(holder), "io.TeeReader": at(holder, 0, 1), "io.NewSectionReader": first(holder),
	"io.MultiReader": first(cloned), "io.MultiWriter": first(cloned),
	"encoding/json.NewDecoder": first(holder), "encoding/json.NewEncoder": first(holder),
	"encoding/csv.NewReader": first(holder), "encoding/csv.NewWriter": first(holder),
	"compress/gzip.NewReader": first(holder), "compress/gzip.NewWriter": first(holder),
	"regexp.Compile": quoted(holder), "regexp.MustCompile": first(holder),
	"net/http.NewRequest": at(holder, 0, 1, 2), "net/http.NewRequestWithContext": at(holder, 0, 1, 2, 3),

	"text.TrimSpace": first(same), "text.Trim": first(same), "text.TrimLeft": first(same), "text.TrimRight": first(same),
	"text.TrimPrefix": first(same), "text.TrimSuffix": first(same), "text.TrimFunc": first(same),
	"text.TrimLeftFunc": first(same), "text.TrimRightFunc": first(same),
	"text.CutPrefix": first(same), "text.CutSuffix": first(same), "text.Cut": first(same),
	"text.Split": first(parts), "text.SplitN": first(parts), "text.SplitAfter": first(parts), "text.SplitAfterN": first(parts),
	"text.Fields": first(parts), "text.FieldsFunc": first(parts),
	"text.SplitSeq": first(holder), "text.SplitAfterSeq": first(holder), "text.FieldsSeq": first(holder),
	"text.FieldsFuncSeq": first(holder), "text.Lines": first(holder),
	// Those of package bytes always copy.
	"strings.ToLower": first(same), "strings.ToUpper": first(same), "strings.ToTitle": first(same), "strings.Title": first(same),
	"strings.ToLowerSpecial": at(same, 1), "strings.ToUpperSpecial": at(same, 1), "strings.ToTitleSpecial": at(same, 1),
	"strings.Map": at(same, 1), "strings.ToValidUTF8": first(same),
	"strings.Replace": first(same), "strings.ReplaceAll": first(same), "strings.Replacer.Replace": at(same, 1),
	"strings.Repeat": first(same),   // once
	"strings.Join":   first(joined), // of one

	"strconv.Unquote": first(same), "strconv.QuotedPrefix": first(same), "strconv.UnquoteChar": first(same),
	"html.EscapeString": first(same), "html.UnescapeString": first(same),
	"text/template.HTMLEscapeString": first(same), "text/template.JSEscapeString": first(same),
	"html/template.HTMLEscapeString": first(same), "html/template.JSEscapeString": first(same),
	"os.Expand": first(same), "os.ExpandEnv": first(same),

	"path.Clean": first(same), "path.Base": first(same), "path.Dir": first(same), "path.Ext": first(same), "path.Split": first(same),
	"path/filepath.Clean": first(same), "path/filepath.Base": first(same), "path/filepath.Dir": first(same), "path/filepath.Ext": first(same),
	"path/filepath.Split": first(same), "path/filepath.FromSlash": first(same), "path/filepath.ToSlash": first(same),
	"path/filepath.VolumeName": first(same), "path/filepath.Abs": first(same), "path/filepath.Rel": at(same, 1),
	"path/filepath.Join": first(joinedPath), "path/filepath.SplitList": first(parts),

	"net/url.QueryEscape": first(same), "net/url.PathEscape": first(same),
	"net/url.QueryUnescape": quoted(parts), "net/url.PathUnescape": quoted(parts),
	"net/url.Parse": quoted(parts), "net/url.ParseRequestURI": quoted(parts), "net/url.ParseQuery": quoted(parts),
	"net/url.URL.Query": first(inner), "net/url.URL.Hostname": first(inner), "net/url.URL.Port": first(inner), "net/url.URL.EscapedPath": first(inner),
	"net/url.URL.RequestURI": first(inner), "net/url.Values.Get": first(inner),
	"net.SplitHostPort":                    quoted(parts),
	"net/textproto.TrimString":             first(same),
	"net/textproto.CanonicalMIMEHeaderKey": first(same),
	"net/http.CanonicalHeaderKey":          first(same),
	"mime.ParseMediaType":                  first(parts),
	"mime.WordDecoder.DecodeHeader":        at(same, 1),
	"mime.WordEncoder.Encode":              at(same, 2),
	"regexp.Regexp.Find":                   at(same, 1),
	"regexp.Regexp.FindString":             at(same, 1),
	"regexp.Regexp.FindSubmatch":           at(parts, 1),
	"regexp.Regexp.FindStringSubmatch":     at(parts, 1),
	"regexp.Regexp.FindAll":                at(parts, 1),
	"regexp.Regexp.FindAllString":          at(parts, 1),
	"regexp.Regexp.FindAllSubmatch":        at(parts, 1),
	"regexp.Regexp.FindAllStringSubmatch":  at(parts, 1),
	"regexp.Regexp.Split":                  at(parts, 1),
	"regexp.Regexp.Expand":                 at(grown, 1),
	"regexp.Regexp.ExpandString":           at(grown, 1),
}

func first(is yield) result           { return result{is: is, args: []int{0}} }
func at(is yield, args ...int) result { return result{is: is, args: args} }

// quoted is for functions whose error quotes the argument.
func quoted(is yield) result { return result{is: is, args: []int{0}, inError: true} }

// resultOf is what is known of the results of a function with that name.
func resultOf(name string, common *ssa.CallCommon) result {
	if r, ok := results[name]; ok {
		return r
	}
	pkg, fn, _ := strings.Cut(name, ".")
	if pkg == "strings" || pkg == "bytes" {
		return results["text."+fn]
	}
	return appender(name, common)
}

// appender is what is known of AppendInt and all the others whose name begins
// like that: they return the slice that they are given, the receiver of a
// method left out, with something after its end.
func appender(name string, common *ssa.CallCommon) result {
	sig := common.Signature()
	i := 0
	if sig.Recv() != nil {
		i = 1
	}
	if !strings.HasPrefix(name[strings.LastIndex(name, ".")+1:], "Append") || sig.Results().Len() == 0 || len(common.Args) <= i {
		return result{}
	}
	t := sig.Results().At(0).Type()
	if _, ok := t.Underlying().(*types.Slice); !ok || !types.Identical(t, common.Args[i].Type()) {
		return result{}
	}
	return at(grown, i)
}

// Keepers lists functions of the standard library that keep an argument: what
// they are given is then held by their receiver.
var Keepers = map[string]bool{
	"sync.Map.Store": true, "sync.Map.Swap": true, "sync.Map.LoadOrStore": true, "sync.Pool.Put": true,
	"sync/atomic.Pointer.Store": true, "sync/atomic.Pointer.Swap": true,
	"sync/atomic.Value.Store": true, "sync/atomic.Value.Swap": true,
	"net/http.Header.Set": true, "net/http.Header.Add": true, "net/url.Values.Set": true, "net/url.Values.Add": true,
	"net/textproto.MIMEHeader.Set": true, "net/textproto.MIMEHeader.Add": true,
	"container/list.List.PushBack": true, "container/list.List.PushFront": true,
}

// readsDeep reports whether a function reads everything that its arguments lead
// to.
func readsDeep(name string) bool {
	return strings.HasPrefix(name, "fmt.") || name == "encoding/json.Marshal" || name == "encoding/json.MarshalIndent" ||
		name == "encoding/json.Encoder.Encode"
}

// MayKeep reports whether a function of the standard library may hold on to an
// arena that it is given, so that someone else may put it back.
func MayKeep(path string) bool {
	switch path {
	case "context", "sync", "sync/atomic", "testing", "runtime", "container/list", "container/heap", "container/ring", "time", "iter":
		return true
	}
	return false
}

// StartsGoroutine lists functions that run their last argument in another
// goroutine.
var StartsGoroutine = map[string]bool{
	"sync.WaitGroup.Go":                        true,
	"context.AfterFunc":                        true,
	"time.AfterFunc":                           true,
	"golang.org/x/sync/errgroup.Group.Go":      true,
	"golang.org/x/sync/errgroup.Group.TryGo":   true,
	"github.com/sourcegraph/conc.WaitGroup.Go": true,
}

// waits reports whether a call waits for other goroutines, going by its name:
// what was handed to them is the caller's again then.
func waits(common *ssa.CallCommon) bool {
	name := ""
	if common.IsInvoke() {
		name = common.Method.Name()
	} else if fn := common.StaticCallee(); fn != nil {
		name = fn.Name()
	}
	return strings.Contains(name, "Wait") || name == "Join"
}
