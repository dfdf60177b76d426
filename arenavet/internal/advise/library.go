package advise

import (
	"strings"

	"github.com/ebbpool/arena/arenavet/internal/profile"
)

// codec is how many times as long as package arenajson another codec takes, the collector's
// part of both included: docs/generated/json-speed.md, of a request.
type codec struct{ likely, least float64 }

var (
	decode126, encode126 = codec{9.7, 5}, codec{3.6, 2.8}
	decode127, encode127 = codec{5.7, 3.5}, codec{5.1, 3}
)

// codecs are the functions that arenajson has a counterpart of.
func codecs(goVersion string) map[string]codec {
	decode, encode := decode126, encode126
	if !strings.HasPrefix(goVersion, "go1.25") && !strings.HasPrefix(goVersion, "go1.26") {
		decode, encode = decode127, encode127
	}
	return map[string]codec{
		"encoding/json.Unmarshal": decode, "encoding/json.(*Decoder).Decode": decode,
		"encoding/json.Marshal": encode, "encoding/json.(*Encoder).Encode": encode, "encoding/json.MarshalIndent": encode,
	}
}

// libraries has what takes the allocations of the functions that a program calls. A name
// that ends in a point or a bracket stands for all that begin with it.
var libraries = map[string]decision{
	"fmt.Sprintf":                   {Taken, "Sprintf"},
	"fmt.Sprint":                    {Taken, "Sprintf"},
	"fmt.Sprintln":                  {Taken, "Sprintf"},
	"fmt.Fprintf":                   {Taken, "arena.Buffer"},
	"fmt.Fprint":                    {Taken, "arena.Buffer"},
	"fmt.Fprintln":                  {Taken, "arena.Buffer"},
	"fmt.Appendf":                   {Likely, "arena.Buffer"},
	"strings.Join":                  {Taken, "Join"},
	"strings.ToLower":               {Taken, "ToLower"},
	"strings.ToUpper":               {Taken, "ToUpper"},
	"strings.Clone":                 {Taken, "AllocString"},
	"strings.(*Builder).":           {Taken, "arena.Buffer"},
	"bytes.(*Buffer).":              {Taken, "arena.Buffer"},
	"bytes.Clone":                   {Taken, "arena.CloneSlice"},
	"slices.Clone[":                 {Taken, "arena.CloneSlice"},
	"slices.Collect[":               {Taken, "arena.Collect"},
	"slices.Grow[":                  {Taken, "arena.MakeSlice"},
	"slices.Insert[":                {Likely, "arena.Append"},
	"slices.Concat[":                {Likely, "arena.Append"},
	"slices.Sorted[":                {Likely, "arena.Collect and slices.Sort"},
	"maps.Clone[":                   {Likely, "arena.NewMap"},
	"io.ReadAll":                    {Taken, "arena.ReadAll"},
	"io/ioutil.ReadAll":             {Taken, "arena.ReadAll"},
	"strings.Split":                 {Likely, "strings.SplitSeq and arena.Append"},
	"strings.SplitN":                {Likely, "strings.Cut and arena.Append"},
	"strings.Fields":                {Likely, "strings.FieldsSeq and arena.Append"},
	"bytes.Split":                   {Likely, "bytes.SplitSeq and arena.Append"},
	"bytes.Fields":                  {Likely, "bytes.FieldsSeq and arena.Append"},
	"strings.Repeat":                {Likely, "arena.Buffer"},
	"strconv.Itoa":                  {Likely, "arena.Buffer's AppendInt"},
	"strconv.FormatInt":             {Likely, "arena.Buffer's AppendInt"},
	"strconv.FormatUint":            {Likely, "arena.Buffer's AppendUint"},
	"strconv.FormatFloat":           {Likely, "arena.Buffer's AppendFloat"},
	"strconv.Quote":                 {Likely, "arena.Buffer's AppendQuote"},
	"strconv.Append":                {Likely, "arena.Buffer"},
	"encoding/binary.bigEndian.":    {Taken, "arena.Append, or a Buffer"},
	"encoding/binary.littleEndian.": {Taken, "arena.Append, or a Buffer"},
	"unicode/utf8.AppendRune":       {Taken, "arena.Append, or a Buffer"},
	"time.Time.Format":              {Likely, "AppendFormat into an arena.Buffer"},
	"time.Time.String":              {Likely, "AppendFormat into an arena.Buffer"},
	"errors.":                       {Stays, "an error"},
	"fmt.Errorf":                    {Stays, "an error"},
	"context.":                      {Stays, "a context"},
	"google.golang.org/protobuf/proto.Unmarshal": {Taken, "arenapb.Unmarshal"},
	"google.golang.org/protobuf/proto.Clone":     {Likely, "arenapb.Clone"},
}

// byLibrary returns what becomes of what a library's function allocates.
func byLibrary(called string) decision {
	name := called
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i+1]
	}
	if d, ok := libraries[name]; ok {
		return d
	}
	best := ""
	for prefix := range libraries {
		if last := prefix[len(prefix)-1]; (last == '.' || prefix == "strconv.Append") && strings.HasPrefix(name, prefix) && len(prefix) > len(best) {
			best = prefix
		}
	}
	if best != "" {
		return libraries[best]
	}
	if isStandard(profile.PackageOf(called)) {
		return decision{Stays, "no counterpart of " + called}
	}
	return decision{Stays, "in another module: " + called}
}

// isStandard reports whether a package is the standard library's: its path begins with no
// domain.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
