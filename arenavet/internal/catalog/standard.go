package catalog

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Yield is the relation of a result to an argument. Each entry of the tables below was read in Go's source.
type Yield uint8

const (
	Same       Yield = iota + 1 // the argument or a part of it
	Parts                       // its strings may be parts of the argument
	Inner                       // its strings may be parts of the memory that the argument leads to
	Item                        // an element of the argument
	Joined                      // the element, if there is only one
	JoinedPath                  // the last element, if the others are empty
	Cloned                      // a container of the argument's elements, or an iterator over them
	Merged                      // a slice of the elements of the argument's elements
	Keys                        // an iterator over the argument's keys
	Holder                      // an object that holds the argument, or an iterator over its parts
	Wrapper                     // an error that wraps the operands of %w
	Grown                       // the argument with more elements, or a copy if it was full
	GrownBy                     // Grown by elements of the last argument
)

// Result relates a function's results to its arguments, by number. A method's receiver is number 0. An error among
// several results is unrelated unless InError is set.
type Result struct {
	Is      Yield
	Args    []int
	InError bool
}

// results lists functions by FunctionName. The prefix "text." stands for both strings and bytes.
var results = map[string]Result{
	"slices.Clip": first(Same), "slices.Delete": first(Same), "slices.DeleteFunc": first(Same),
	"slices.Compact": first(Same), "slices.CompactFunc": first(Same),
	"slices.Grow": first(Grown), "slices.Insert": first(GrownBy), "slices.Replace": first(GrownBy), "slices.AppendSeq": first(GrownBy),
	"slices.Clone": first(Cloned), "slices.Repeat": first(Cloned), "slices.Concat": first(Merged),
	"slices.All": first(Cloned), "slices.Values": first(Cloned), "slices.Backward": first(Cloned), "slices.Chunk": first(Holder),
	"slices.Collect": first(Cloned), "slices.Sorted": first(Cloned), "slices.SortedFunc": first(Cloned), "slices.SortedStableFunc": first(Cloned),
	"slices.Max": first(Item), "slices.MaxFunc": first(Item), "slices.Min": first(Item), "slices.MinFunc": first(Item),
	"maps.Clone": first(Cloned), "maps.All": first(Cloned), "maps.Values": first(Cloned), "maps.Keys": first(Keys), "maps.Collect": first(Cloned),
	"cmp.Or": first(Item),

	"sync.RWMutex.RLocker": first(Same),

	// A reflect.Value stands for the pointer or slice in it.
	"reflect.ValueOf": first(Same), "reflect.Value.Interface": first(Same), "reflect.Value.Slice": first(Same), "reflect.Value.Slice3": first(Same),
	"reflect.Value.UnsafePointer": first(Same), "reflect.Value.Bytes": first(Same), "reflect.TypeAssert": first(Same),

	"errors.New": first(Holder), "errors.Join": first(Cloned), "fmt.Errorf": first(Wrapper),
	"context.WithValue": Of(Holder, 0, 1, 2), "context.WithCancel": first(Holder), "context.WithCancelCause": first(Holder),
	"context.WithTimeout": first(Holder), "context.WithTimeoutCause": first(Holder), "context.WithoutCancel": first(Holder),
	"context.WithDeadline": first(Holder), "context.WithDeadlineCause": first(Holder), "net/http.Request.WithContext": Of(Holder, 1), "net/http.Request.Clone": Of(Holder, 1),
	"text.NewReader": first(Holder), "strings.NewReplacer": first(Cloned),
	"bytes.NewBuffer": first(Holder), "bytes.Buffer.Bytes": first(Item), "bytes.Buffer.Next": first(Item), "bytes.Buffer.AvailableBuffer": first(Item), "bytes.Buffer.Peek": first(Item),
	"bufio.NewReader": first(Holder), "bufio.NewReaderSize": first(Holder), "bufio.NewWriter": first(Holder), "bufio.NewWriterSize": first(Holder),
	"bufio.NewScanner": first(Holder), "bufio.NewReadWriter": Of(Holder, 0, 1),
	"io.NopCloser": first(Holder), "io.LimitReader": first(Holder), "io.TeeReader": Of(Holder, 0, 1), "io.NewSectionReader": first(Holder),
	"io.MultiReader": first(Cloned), "io.MultiWriter": first(Cloned),
	"encoding/json.NewDecoder": first(Holder), "encoding/json.NewEncoder": first(Holder),
	"encoding/csv.NewReader": first(Holder), "encoding/csv.NewWriter": first(Holder),
	"compress/gzip.NewReader": first(Holder), "compress/gzip.NewWriter": first(Holder),
	"regexp.Compile": quoted(Holder), "regexp.MustCompile": first(Holder),
	"log/slog.With": first(Cloned), "log/slog.Logger.With": Of(Cloned, 0, 1), "log/slog.Logger.WithGroup": Of(Holder, 0, 1), "log/slog.New": first(Holder),
	"net/http.NewRequest": Of(Holder, 0, 1, 2), "net/http.NewRequestWithContext": Of(Holder, 0, 1, 2, 3),

	"text.TrimSpace": first(Same), "text.Trim": first(Same), "text.TrimLeft": first(Same), "text.TrimRight": first(Same),
	"text.TrimPrefix": first(Same), "text.TrimSuffix": first(Same), "text.TrimFunc": first(Same),
	"text.TrimLeftFunc": first(Same), "text.TrimRightFunc": first(Same),
	"text.CutPrefix": first(Same), "text.CutSuffix": first(Same), "text.Cut": first(Same),
	"text.Split": first(Parts), "text.SplitN": first(Parts), "text.SplitAfter": first(Parts), "text.SplitAfterN": first(Parts),
	"text.Fields": first(Parts), "text.FieldsFunc": first(Parts),
	"text.SplitSeq": first(Holder), "text.SplitAfterSeq": first(Holder), "text.FieldsSeq": first(Holder),
	"text.FieldsFuncSeq": first(Holder), "text.Lines": first(Holder),
	// The functions of package bytes always copy.
	"strings.ToLower": first(Same), "strings.ToUpper": first(Same), "strings.ToTitle": first(Same), "strings.Title": first(Same),
	"strings.ToLowerSpecial": Of(Same, 1), "strings.ToUpperSpecial": Of(Same, 1), "strings.ToTitleSpecial": Of(Same, 1),
	"strings.Map": Of(Same, 1), "strings.ToValidUTF8": first(Same),
	"strings.Replace": first(Same), "strings.ReplaceAll": first(Same), "strings.Replacer.Replace": Of(Same, 1),
	"strings.Repeat": first(Same),   // count 1
	"strings.Join":   first(Joined), // one element

	"strconv.Unquote": first(Same), "strconv.QuotedPrefix": first(Same), "strconv.UnquoteChar": first(Same),
	"html.EscapeString": first(Same), "html.UnescapeString": first(Same),
	"text/template.HTMLEscapeString": first(Same), "text/template.JSEscapeString": first(Same),
	"html/template.HTMLEscapeString": first(Same), "html/template.JSEscapeString": first(Same),
	"os.Expand": first(Same), "os.ExpandEnv": first(Same),

	"path.Clean": first(Same), "path.Base": first(Same), "path.Dir": first(Same), "path.Ext": first(Same), "path.Split": first(Same),
	"path/filepath.Clean": first(Same), "path/filepath.Base": first(Same), "path/filepath.Dir": first(Same), "path/filepath.Ext": first(Same),
	"path/filepath.Split": first(Same), "path/filepath.FromSlash": first(Same), "path/filepath.ToSlash": first(Same),
	"path/filepath.VolumeName": first(Same), "path/filepath.Abs": first(Same), "path/filepath.Rel": Of(Same, 1),
	"path/filepath.Join": first(JoinedPath), "path/filepath.SplitList": first(Parts),

	"net/url.QueryEscape": first(Same), "net/url.PathEscape": first(Same),
	"net/url.QueryUnescape": quoted(Parts), "net/url.PathUnescape": quoted(Parts),
	"net/url.Parse": quoted(Parts), "net/url.ParseRequestURI": quoted(Parts), "net/url.ParseQuery": quoted(Parts),
	"net/url.URL.Query": first(Inner), "net/url.URL.Hostname": first(Inner), "net/url.URL.Port": first(Inner), "net/url.URL.EscapedPath": first(Inner),
	"net/url.URL.RequestURI": first(Inner), "net/url.Values.Get": first(Inner),
	"net.SplitHostPort":                    quoted(Parts),
	"net/textproto.TrimString":             first(Same),
	"net/textproto.CanonicalMIMEHeaderKey": first(Same),
	"net/http.CanonicalHeaderKey":          first(Same),
	"mime.ParseMediaType":                  first(Parts),
	"mime.WordDecoder.DecodeHeader":        Of(Same, 1),
	"mime.WordEncoder.Encode":              Of(Same, 2),
	"regexp.Regexp.Find":                   Of(Same, 1),
	"regexp.Regexp.FindString":             Of(Same, 1),
	"regexp.Regexp.FindSubmatch":           Of(Parts, 1),
	"regexp.Regexp.FindStringSubmatch":     Of(Parts, 1),
	"regexp.Regexp.FindAll":                Of(Parts, 1),
	"regexp.Regexp.FindAllString":          Of(Parts, 1),
	"regexp.Regexp.FindAllSubmatch":        Of(Parts, 1),
	"regexp.Regexp.FindAllStringSubmatch":  Of(Parts, 1),
	"regexp.Regexp.Split":                  Of(Parts, 1),
	"regexp.Regexp.Expand":                 Of(Grown, 1),
	"regexp.Regexp.ExpandString":           Of(Grown, 1),
}

func first(is Yield) Result           { return Result{Is: is, Args: []int{0}} }
func Of(is Yield, args ...int) Result { return Result{Is: is, Args: args} }

// quoted is for functions whose error quotes the argument.
func quoted(is Yield) Result { return Result{Is: is, Args: []int{0}, InError: true} }

// ResultOf returns the entry of a function, or a zero Result.
func ResultOf(name string, common *ssa.CallCommon) Result {
	if r, ok := results[name]; ok {
		return r
	}
	pkg, fn, _ := strings.Cut(name, ".")
	if pkg == "strings" || pkg == "bytes" {
		return results["text."+fn]
	}
	return appender(name, common)
}

// appender returns the Result of functions such as AppendInt, which append to their first argument and return it.
func appender(name string, common *ssa.CallCommon) Result {
	sig := common.Signature()
	i := 0
	if sig.Recv() != nil {
		i = 1
	}
	if !strings.HasPrefix(name[strings.LastIndex(name, ".")+1:], "Append") || sig.Results().Len() == 0 || len(common.Args) <= i {
		return Result{}
	}
	t := sig.Results().At(0).Type()
	if _, ok := t.Underlying().(*types.Slice); !ok || !types.Identical(t, common.Args[i].Type()) {
		return Result{}
	}
	return Of(Grown, i)
}

// Keepers lists functions whose receiver then holds their arguments. Caches are listed because their contents are too
// deep to be followed.
var Keepers = map[string]bool{
	"sync.Map.Store": true, "sync.Map.Swap": true, "sync.Map.LoadOrStore": true, "sync.Pool.Put": true,
	"sync/atomic.Pointer.Store": true, "sync/atomic.Pointer.Swap": true,
	"sync/atomic.Value.Store": true, "sync/atomic.Value.Swap": true,
	"net/http.Header.Set": true, "net/http.Header.Add": true, "net/url.Values.Set": true, "net/url.Values.Add": true,
	"net/textproto.MIMEHeader.Set": true, "net/textproto.MIMEHeader.Add": true,
	"container/list.List.PushBack": true, "container/list.List.PushFront": true,
	"github.com/hashicorp/golang-lru/v2.Cache.Add": true, "github.com/hashicorp/golang-lru/v2.Cache.ContainsOrAdd": true, "github.com/hashicorp/golang-lru/v2.Cache.PeekOrAdd": true,
	"github.com/hashicorp/golang-lru/v2.TwoQueueCache.Add": true, "github.com/hashicorp/golang-lru/v2/simplelru.LRU.Add": true, "github.com/hashicorp/golang-lru/v2/expirable.LRU.Add": true,
	"github.com/hashicorp/golang-lru.Cache.Add": true, "github.com/golang/groupcache/lru.Cache.Add": true,
	"github.com/patrickmn/go-cache.cache.Set": true, "github.com/patrickmn/go-cache.cache.SetDefault": true, "github.com/patrickmn/go-cache.cache.Add": true,
	"github.com/dgraph-io/ristretto.Cache.Set": true, "github.com/dgraph-io/ristretto/v2.Cache.Set": true, "github.com/dgraph-io/ristretto/v2.Cache.SetWithTTL": true,
	"github.com/prometheus/client_golang/prometheus.CounterVec.WithLabelValues": true, "github.com/prometheus/client_golang/prometheus.GaugeVec.WithLabelValues": true,
	"github.com/prometheus/client_golang/prometheus.HistogramVec.WithLabelValues": true, "github.com/prometheus/client_golang/prometheus.SummaryVec.WithLabelValues": true,
	"github.com/jellydator/ttlcache/v3.Cache.Set": true,
}

// Lends lists functions that use their arguments after they have returned: they store them in a global variable, or a
// goroutine of their library reads them later.
var Lends = map[string]bool{
	"log/slog.SetDefault": true, "log.SetPrefix": true, "log.SetOutput": true, "expvar.Publish": true,
	"go.opentelemetry.io/otel/trace.Span.SetAttributes": true, "go.opentelemetry.io/otel/trace.Span.SetName": true,
	"github.com/twmb/franz-go/pkg/kgo.Client.Produce": true, "github.com/twmb/franz-go/pkg/kgo.Client.TryProduce": true,
}

// MakesObject lists functions that return an object whose fields their caller sets.
var MakesObject = map[string]bool{"os/exec.Command": true, "os/exec.CommandContext": true}

// ReadsDeep reports whether a function reads everything its arguments lead to.
func ReadsDeep(name string) bool {
	return strings.HasPrefix(name, "fmt.") || name == "encoding/json.Marshal" || name == "encoding/json.MarshalIndent" ||
		name == "encoding/json.Encoder.Encode"
}

// MayKeep reports whether functions of a package of the standard library may keep an arena, so that others may put it
// back.
func MayKeep(path string) bool {
	switch path {
	case "context", "sync", "sync/atomic", "testing", "runtime", "container/list", "container/heap", "container/ring", "time", "iter":
		return true
	}
	return false
}

// StartsGoroutine lists functions that run their last argument in a goroutine.
var StartsGoroutine = map[string]bool{
	"sync.WaitGroup.Go":                        true,
	"context.AfterFunc":                        true,
	"time.AfterFunc":                           true,
	"golang.org/x/sync/errgroup.Group.Go":      true,
	"golang.org/x/sync/errgroup.Group.TryGo":   true,
	"github.com/sourcegraph/conc.WaitGroup.Go": true,
}

// Waits reports whether a call waits for goroutines, judging by its name.
func Waits(common *ssa.CallCommon) bool {
	name := ""
	if common.IsInvoke() {
		name = common.Method.Name()
	} else if fn := common.StaticCallee(); fn != nil {
		if name = fn.Name(); name == "Flush" {
			return CalleeName(fn) == "github.com/twmb/franz-go/pkg/kgo.Client.Flush" // of produced records
		}
	}
	return strings.Contains(name, "Wait") || name == "Join"
}
