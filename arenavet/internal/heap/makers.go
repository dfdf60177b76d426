package heap

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// makers lists functions of the standard library that allocate their result and have no counterpart in package arena.
var makers = map[string]bool{}

func init() {
	for pkg, names := range map[string]string{
		"strings":         "Map Repeat Replace ReplaceAll Title ToTitle ToValidUTF8 Split SplitN SplitAfter SplitAfterN Fields FieldsFunc Replacer.Replace",
		"bytes":           "Map Repeat Replace ReplaceAll Title ToTitle ToLower ToUpper ToValidUTF8 Join Runes Split SplitN SplitAfter SplitAfterN Fields FieldsFunc",
		"strconv":         "Itoa FormatInt FormatUint FormatFloat Quote QuoteToASCII Unquote",
		"html":            "EscapeString UnescapeString",
		"net/url":         "QueryEscape PathEscape QueryUnescape PathUnescape URL.String Values.Encode",
		"encoding/hex":    "EncodeToString DecodeString",
		"encoding/base64": "Encoding.EncodeToString Encoding.DecodeString",
		"time":            "Time.Format Time.String Duration.String",
		"slices":          "Concat Repeat Sorted SortedFunc SortedStableFunc",
		"maps":            "Clone",
		"path":            "Join",
		"path/filepath":   "Join",
		"bufio":           "Reader.ReadString Reader.ReadBytes Scanner.Text",
		"regexp":          "Regexp.FindAllString Regexp.FindStringSubmatch Regexp.ReplaceAllString Regexp.ReplaceAll Regexp.ReplaceAllStringFunc Regexp.Split QuoteMeta",
		"encoding/json":   "MarshalIndent",
		"unicode/utf16":   "Encode Decode",
		"net/textproto":   "CanonicalMIMEHeaderKey",
		"mime":            "WordDecoder.DecodeHeader WordEncoder.Encode",
		"text/template":   "HTMLEscapeString",
		"html/template":   "HTMLEscapeString",
	} {
		for name := range strings.FieldsSeq(names) {
			makers[pkg+"."+name] = true
		}
	}
}

// HasNoCounterpart reports whether a function of the standard library, such as "strings.Repeat" or "time.Time.Format",
// allocates its result and has no counterpart in package arena.
func HasNoCounterpart(name string) bool { return makers[name] }

// HasCounterpart reports whether an arena can hold the memory of a function of the standard library: text, slices, maps
// and JSON.
func HasCounterpart(name string) bool {
	switch catalog.PackageOf(name) {
	case "strings", "bytes", "slices", "maps", "encoding/json":
		return true
	}
	return inArena[name] != "" || ofArena[name] != "" || printed[name] != ""
}

// inArena lists functions with the same arguments as a method of Arena.
var inArena = map[string]string{
	"fmt.Sprintf": "Sprintf", "strings.Join": "Join", "strings.ToLower": "ToLower", "strings.ToUpper": "ToUpper",
	"strings.Clone": "AllocString",
}

// ofArena lists functions that package arena has with an arena as an additional first argument.
var ofArena = map[string]string{
	"io.ReadAll": "ReadAll", "io/ioutil.ReadAll": "ReadAll", "slices.Clone": "CloneSlice", "bytes.Clone": "CloneSlice",
	"slices.Collect": "Collect",
}

// printed lists functions that are Sprintf with this format if they have one operand.
var printed = map[string]string{"fmt.Sprint": `"%v"`, "fmt.Sprintln": `"%v\n"`}
