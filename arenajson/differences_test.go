package arenajson

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ebbpool/arena"
)

// A stream is a Decoder of this package or of encoding/json.
type stream interface {
	Decode(v any) error
	More() bool
	InputOffset() int64
}

// A library encodes and decodes JSON: this package or encoding/json.
type library struct {
	unmarshal func(doc string, v any) error
	decoder   func(r io.Reader) stream
	marshal   func(v any) ([]byte, error)
	compact   func(doc string) error
	indent    func(doc, prefix string) string
	token     func(r io.Reader) func() (json.Token, error)
}

var standard = library{
	func(doc string, v any) error { return json.Unmarshal([]byte(doc), v) },
	func(r io.Reader) stream { return json.NewDecoder(r) },
	json.Marshal,
	func(doc string) error { return json.Compact(new(bytes.Buffer), []byte(doc)) },
	func(doc, prefix string) string {
		var b bytes.Buffer
		json.Indent(&b, []byte(doc), prefix, "")
		return b.String()
	},
	func(r io.Reader) func() (json.Token, error) { return json.NewDecoder(r).Token },
}

func libraryIn(a *arena.Arena) library {
	return library{
		func(doc string, v any) error { return Unmarshal(a, []byte(doc), v) },
		func(r io.Reader) stream { return NewDecoder(a, r) },
		func(v any) ([]byte, error) { return Marshal(a, v) },
		func(doc string) error { _, err := Compact(a, []byte(doc)); return err },
		func(doc, prefix string) string { b, _ := Indent(a, []byte(doc), prefix, ""); return string(b) },
		func(r io.Reader) func() (json.Token, error) { return NewDecoder(a, r).Token },
	}
}

// A deviation is a difference between this package and encoding/json of Go 1.26 or 1.27.
type deviation struct {
	what string // in Markdown
	doc  string // the decoded document, if any
	do   func(l library, doc string) string

	on26, on27 string // the results of encoding/json
	here       string // the result of this package, or "" for on26
	here27     string // on Go 1.27, if different

	covers string // the beginning of documents of errorDocs that differ in the same way
}

// outcome returns v, or the text of the error.
func outcome(v any, err error) string {
	switch e := err.(type) {
	case nil:
		return fmt.Sprintf("%+v", v)
	case *json.UnmarshalTypeError:
		return fmt.Sprintf("UnmarshalTypeError: Struct %q, Field %q, Offset %d", e.Struct, e.Field, e.Offset)
	case *json.SyntaxError:
		return fmt.Sprintf("SyntaxError: Offset %d, %v", e.Offset, e)
	case *arena.LimitError:
		return "LimitError"
	case *json.UnsupportedTypeError:
		return fmt.Sprint("UnsupportedTypeError: Type ", e.Type)
	case *json.InvalidUnmarshalError:
		return "InvalidUnmarshalError"
	case *json.MarshalerError:
		return fmt.Sprintf("MarshalerError: Type %v", e.Type)
	}
	if err == errStream {
		return "the stream's error"
	}
	return "an error without a type"
}

// reads decodes doc into a T and returns that or the error.
func reads[T any](l library, doc string) string {
	var x T
	err := l.unmarshal(doc, &x)
	return outcome(x, err)
}

// left returns the value of x after an error.
func left[T any](x T) func(library, string) string {
	return func(l library, doc string) string {
		y := x
		if err := l.unmarshal(doc, &y); err == nil {
			return "no error"
		}
		return fmt.Sprintf("%+v", y)
	}
}

func written(v any) func(library, string) string {
	return func(l library, _ string) string {
		doc, err := l.marshal(v)
		return outcome(string(doc), err)
	}
}

var errStream = errors.New("broken")

type lost struct {
	*hiddenDeep `json:"h"`
}

type quotedOf[T any] struct {
	Q T `json:",string"`
}

// stackPointer returns the StackPointer that an UnmarshalJSONFrom sees, on builds that have the method.
var stackPointer = func(library, string) string { return "no such method" }

var deviations = []deviation{
	// On every Go:
	{"`struct{ M *arena.Map[string, int] }`", `{"M":{"a":1}}`, func(l library, doc string) string {
		var x struct{ M *arena.Map[string, int] }
		err := l.unmarshal(doc, &x)
		return outcome(map[int]string{0: "no members", 1: "1 member"}[x.M.Len()], err)
	}, "no members", "no members", "1 member", "", ""},
	{"an `arena.Map` whose keys are not strings, integers or `encoding.TextUnmarshaler`s", `{"M":{"a":1}}`, func(l library, doc string) string {
		var x struct{ M *arena.Map[[1]int, int] }
		err := l.unmarshal(doc, &x)
		return outcome(map[int]string{0: "no members", 1: "1 member"}[x.M.Len()], err)
	}, "no members", "no members", `UnmarshalTypeError: Struct "", Field "M", Offset 6`, "", ""},
	{"an `arena.Map` that is no pointer", `{"M":{"a":1}}`, func(l library, doc string) string {
		var x struct{ M arena.Map[string, int] }
		err := l.unmarshal(doc, &x)
		return outcome(map[int]string{0: "no members", 1: "1 member"}[x.M.Len()], err)
	}, "no members", "no members", `UnmarshalTypeError: Struct "", Field "M", Offset 6`, "", ""},
	{"writing an `*arena.Map`", "", func(l library, _ string) string {
		m := arena.NewMap[string, int](nil, 0)
		m.Set("a", 1)
		return written(m)(l, "")
	}, "{}", "{}", `{"a":1}`, "", ""},
	{"an arena with a limit of 64 KB; what was zero stays zero", `"x` + strings.Repeat("x", 64<<10) + `"`, func(l library, doc string) string {
		var s string
		if err := l.unmarshal(doc, &s); err != nil {
			return outcome(nil, err) + s
		}
		return "reads it"
	}, "reads it", "reads it", "LimitError", "", ""},
	{"an embedded pointer to a struct that is not exported, with a name in its tag", `{"h":{"Hidden":1}}`, func(l library, doc string) string {
		var x lost
		err := l.unmarshal(doc, &x)
		return outcome(x.hiddenDeep.Hidden, err)
	}, "panics", "panics", "1", "", ""},
	{"an arena with a limit of 64 KB, and a struct with `case`, which Go 1.27 reads itself", `{"l":[` + strings.Repeat("[],", 999) + "[]]}", func(l library, doc string) string {
		var x struct {
			L [][16]int `json:"l,case:strict"`
		}
		if err := l.unmarshal(doc, &x); err != nil {
			return outcome(nil, err)
		}
		return "reads it"
	}, "reads it", "reads it", "LimitError", "reads it", ""},
	{"`struct{ M *arena.Map[string, int] }`, with `case`", `{"M":{"a":1}}`, func(l library, doc string) string {
		var x struct {
			M *arena.Map[string, int] `json:",case:strict"`
		}
		err := l.unmarshal(doc, &x)
		return outcome(map[int]string{0: "no members", 1: "1 member"}[x.M.Len()], err)
	}, "no members", "no members", "1 member", `UnmarshalTypeError: Struct "", Field "", Offset 1`, ""},
	{"`StackPointer` in an `UnmarshalJSONFrom`, within a struct", `{"P":1}`, func(l library, doc string) string { return stackPointer(l, doc) }, "no such method", "/P", "", "no pointer", ""},

	// Differences between Go 1.26 and 1.27:
	{"a stream that fails right behind a string, `true`, `false` or `null`", `"a"`, func(l library, doc string) string {
		var x any
		err := l.decoder(io.MultiReader(strings.NewReader(doc), iotest.ErrReader(errStream))).Decode(&x)
		return outcome(x, err)
	}, "the stream's error", "a", "a", "", ""},
	{"where in a stream an error is, if `More` skipped spaces", `1  x`, func(l library, doc string) string {
		var x any
		d := l.decoder(strings.NewReader(doc))
		d.Decode(&x)
		d.More()
		err, _ := d.Decode(&x).(*json.SyntaxError)
		return fmt.Sprint("Offset ", err.Offset)
	}, "Offset 2", "Offset 4", "Offset 4", "", ""},
	{"where in a stream an error is, behind what `Token` read", `[nul,1]`, func(l library, doc string) string {
		next := l.token(strings.NewReader(doc))
		next()
		_, err := next()
		e, _ := err.(*json.SyntaxError)
		return fmt.Sprint("Offset ", e.Offset)
	}, "Offset 4", "Offset 5", "Offset 5", "", ""},
	{"`More`, where a stream ends in an array", `[1 `, func(l library, doc string) string {
		d := l.decoder(strings.NewReader(doc))
		for range 2 {
			d.(interface{ Token() (json.Token, error) }).Token()
		}
		return fmt.Sprint(d.More())
	}, "false", "true", "", "", ""},
	{"`Token`, more than 10,000 brackets deep", strings.Repeat("[", 10_001), func(l library, doc string) string {
		next := l.token(strings.NewReader(doc))
		var err error
		for range 10_001 {
			_, err = next()
		}
		if _, ok := err.(*json.SyntaxError); ok {
			return "SyntaxError"
		}
		return outcome("goes on", err)
	}, "goes on", "SyntaxError", "SyntaxError", "", ""},
	{"where in a document `Compact` finds an error", `[1}`, func(l library, doc string) string {
		e, _ := l.compact(doc).(*json.SyntaxError)
		return fmt.Sprint("Offset ", e.Offset)
	}, "Offset 0", "Offset 3", "Offset 3", "", ""},
	{"`Indent` with the prefix `> `, and spaces behind the document", "0\n \t", func(l library, doc string) string { return fmt.Sprintf("%q", l.indent(doc, "> ")) }, `"0\n \t"`, `"0\n>\t"`, "", "", ""},
	{"a stream that is read byte by byte, and a wrong character that is not ASCII", `[1 é`, func(l library, doc string) string {
		var x any
		err := l.decoder(iotest.OneByteReader(strings.NewReader(doc))).Decode(&x)
		return outcome(x, err)
	}, "SyntaxError: Offset 4, invalid character 'Ã' after array element", `SyntaxError: Offset 4, invalid character '\xc3' after array element`, "", "SyntaxError: Offset 5, invalid character 'é' after array element", ""},
	{"what is not JSON, into nil", `{`, func(l library, doc string) string { return outcome(nil, l.unmarshal(doc, nil)) }, "SyntaxError: Offset 1, unexpected end of JSON input", "InvalidUnmarshalError", "", "", ""},
	{"an error in a list", `{"L":[{"B":true}]}`, reads[errorsOf], `UnmarshalTypeError: Struct "errorsIn", Field "L.B", Offset 15`, `UnmarshalTypeError: Struct "errorsOf", Field "L.0.B", Offset 15`, "", "", ""},
	{"an error in a map's key", `{"MI":{"300":"x"}}`, reads[errorsOf], `UnmarshalTypeError: Struct "errorsOf", Field "MI", Offset 8`, `UnmarshalTypeError: Struct "errorsOf", Field "MI.300", Offset 12`, "", "", ""},
	{"an error in an embedded struct", `{"In2":{"B":"x"}}`, reads[errorsOf], `UnmarshalTypeError: Struct "errorsIn", Field "ErrorsDeep.In2.B", Offset 15`, `UnmarshalTypeError: Struct "errorsOf", Field "In2.B", Offset 15`, "", "", ""},
	{"what does not fit, in an interface with methods that holds `1s`", `{"I":5}`, left(struct{ I fmt.Stringer }{time.Second}), "{I:1s}", "{I:<nil>}", "", "", "{\"I\":"},
	{"a number that is too large, in `[]any`", `[1e400]`, left([]any(nil)), "[<nil>]", "[0]", "", "", `{"Any":|{"List":|{"Anys":`},
	{"an error of an `UnmarshalText`, and what is behind it", `{"T":"bad","A":1}`, left(struct {
		T badText
		A int
	}{}), "{T:{s:bad} A:0}", "{T:{s:bad} A:1}", "", "", `{"T":["a","b","bad"|{"A":"x","N":"x"|{"A":"x","J":`},
	{"the same, in a slice of 4", `["a","bad"]`, func(l library, doc string) string { return left(make([]badText, 4))(l, doc) }, "[{s:a} {s:bad} {s:} {s:}]", "[{s:a} {s:bad}]", "", "", `{"T":["bad"|{"Time":`},
	{"what is not a string, in a `time.Time`", `{"T":5}`, reads[struct{ T time.Time }], "an error without a type", `UnmarshalTypeError: Struct "", Field "T", Offset 6`, "", "", ""},
	{"a string that is not base64, in a `[]byte`", `"!"`, reads[[]byte], "an error without a type", `UnmarshalTypeError: Struct "", Field "", Offset 3`, "", "", `{"By":"!|{"By":"YQ==x`},
	{"a string that is not a number, in a `json.Number`", `"x"`, reads[json.Number], "an error without a type", `UnmarshalTypeError: Struct "", Field "", Offset 0`, "", "", `{"N":"x"|{"N":"- 1"`},
	{"an embedded pointer to a struct that is not exported", `{"Hidden":1}`, reads[errorsOf], "an error without a type", `UnmarshalTypeError: Struct "errorsOf", Field "Hidden", Offset 10`, "", "", `{"Hidden":`},
	{"`,string` with what is not in quotes, or not of the type", `{"Q":5}`, reads[quotedOf[int]], "an error without a type", `UnmarshalTypeError: Struct "quotedOf[int]", Field "Q", Offset 6`, "", "",
		`{"Q":5|{"Q":"x|{"Q":""|{"Q":[|{"Q":"nul|{"Q":"t|{"Q":" |{"QB":"t|{"QB":"1|{"QB":t|{"QS":"x|{"QS":"\"x|{"QS":"5|{"QS":"\"a|{"QN":"x|{"QN":5`},
	{"`,string` with text that only begins as a number, in a `json.Number`", `{"Q":"5x"}`, reads[quotedOf[json.Number]], "{Q:5x}", `UnmarshalTypeError: Struct "", Field "", Offset 0`, "", "", `{"QN":"5`},
	{"`,string` with a string in the string, in a `json.Number`", `{"Q":"\"5\""}`, reads[quotedOf[json.Number]], "{Q:5}", `UnmarshalTypeError: Struct "", Field "", Offset 0`, "", "", `{"QN":"\"`},
	{"`,string` with `\\'` in a string", `{"Q":"\"\\'\""}`, reads[quotedOf[string]], "{Q:'}", `UnmarshalTypeError: Struct "quotedOf[string]", Field "Q", Offset 14`, "", "", `{"QS":"\"\\'`},
	{"`,string` with what does not fit, in a nil pointer", `{"Q":"n"}`, func(l library, doc string) string {
		var x quotedOf[*float64]
		l.unmarshal(doc, &x)
		return map[bool]string{true: "sets it", false: "leaves it"}[x.Q != nil]
	}, "leaves it", "sets it", "", "", `{"QF":"n"|{"QF":""`},
	{"writing a string that is not UTF-8, `a\\xff`", "", written("a\xff"), `"a\ufffd"`, `"a�"`, "", "", ""},
	{"writing what `MarshalText` returns, `\\xff`", "", written(textByValue{"\xff"}), `"\ufffd"`, `"�"`, "", "", ""},
}

// Each row of the table in docs/generated/json.md is a difference, and correct for this Go.
func TestDifferences(t *testing.T) {
	if onExperiment {
		t.Skip("the table has no column for the experiment")
	}
	var table strings.Builder
	versions := madeWith(t)
	fmt.Fprintf(&table, "Made with %s and %s.\n\n", versions[0], versions[1])
	table.WriteString("| | document | `encoding/json`, Go 1.26 | Go 1.27 | `arenajson` |\n| --- | --- | --- | --- | --- |\n")
	for _, d := range deviations {
		run := func(l library) (s string) {
			defer func() {
				if recover() != nil {
					s = "panics"
				}
			}()
			return d.do(l, d.doc)
		}
		a := arena.NewArena(4096, 0)
		a.SetLimit(64 << 10)
		there, here := d.on26, cmp.Or(d.here, d.on26)
		if onV2 {
			there, here = d.on27, cmp.Or(d.here27, here)
		}
		if got := run(standard); got != there {
			t.Errorf("%s, %.50s: encoding/json of this Go has\n%s, not\n%s", d.what, d.doc, got, there)
		}
		if got := run(libraryIn(a)); got != here {
			t.Errorf("%s, %.50s:\n%s, not\n%s", d.what, d.doc, got, here)
		}
		if at27 := cmp.Or(d.here27, d.here, d.on26); cmp.Or(d.here, d.on26) == d.on26 && at27 == d.on27 {
			t.Errorf("%s, %.50s: is no difference", d.what, d.doc)
		}
		ours := "as Go 1.26"
		if d.here != "" {
			ours = code(d.here)
		}
		if d.here27 != "" {
			ours += "; on Go 1.27 " + code(d.here27)
		}
		if len(d.doc) > 60 {
			d.doc = d.doc[:5] + "…"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", d.what, code(d.doc), code(d.on26), code(d.on27), ours)
	}
	samePage(t, "differences", table.String())
}

// madeWith returns the versions of Go 1.26 and 1.27 with which the table in docs/generated/json.md was made.
// With -update, one of them is this Go.
func madeWith(t *testing.T) [2]string {
	page, err := os.ReadFile("../docs/generated/json.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`Made with (go1\.26\S*) and (go1\.27\S*)\.\n`).FindSubmatch(page)
	if found == nil {
		t.Fatal("docs/generated/json.md does not say which versions have made its table")
	}
	versions := [2]string{string(found[1]), string(found[2])}
	for i, minor := range []string{"go1.26", "go1.27"} {
		if this := runtime.Version(); *update && strings.HasPrefix(this, minor) {
			versions[i] = this
		}
	}
	return versions
}

// onExperiment reports whether encoding/json is built on v2 by a Go before 1.27.
var onExperiment = onV2 && strings.HasPrefix(runtime.Version(), "go1.26")

// code returns s as code in a cell of a Markdown table.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// If encoding/json is built on v2, results differ for no other documents of errorDocs than the table says.
func TestDifferencesAreAll(t *testing.T) {
	if !onV2 || onExperiment {
		t.Skip("TestTypeErrorsAsV1 compares them")
	}
	met := map[string]bool{}
	for _, doc := range errorDocs {
		for _, x := range []func() *errorsOf{filledErrors, func() *errorsOf { return new(errorsOf) }} {
			theirs, ours := x(), x()
			theirErr, err := json.Unmarshal([]byte(doc), theirs), Unmarshal(nil, []byte(doc), ours)
			if reflect.TypeOf(theirErr) == reflect.TypeOf(err) && reflect.DeepEqual(theirs, ours) {
				continue
			}
			covered := false
			for _, d := range deviations {
				for _, begin := range strings.Split(d.covers, "|") {
					if begin != "" && strings.HasPrefix(doc, begin) {
						covered, met[begin] = true, true
					}
				}
			}
			if !covered {
				t.Errorf("%s: %v; encoding/json has %v: %s", doc, err, theirErr, difference("", reflect.ValueOf(*ours), reflect.ValueOf(*theirs)))
			}
		}
	}
	for _, d := range deviations {
		for _, begin := range strings.Split(d.covers, "|") {
			if begin != "" && !met[begin] {
				t.Errorf("%s: no document that begins with %s differs", d.what, begin)
			}
		}
	}
}
