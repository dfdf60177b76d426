package convert

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/ebbpool/arena/arenavet/internal/catalog"
)

// The functions of other packages that are listed here retain no argument, in a variable or in another
// argument. Every other function may keep its arguments.

// pure lists packages whose package-level functions only compute. A result may be, or lead to, an argument.
var pure = map[string]bool{
	"strings": true, "bytes": true, "strconv": true, "unicode": true, "unicode/utf8": true, "unicode/utf16": true,
	"math": true, "math/bits": true, "cmp": true, "slices": true, "maps": true, "sort": true, "path": true, "html": true,
}

// fresh lists functions and methods that retain nothing and whose results are copies.
var fresh = map[string]bool{
	"fmt.Sprintf": true, "fmt.Sprint": true, "fmt.Sprintln": true, "fmt.Printf": true, "fmt.Print": true, "fmt.Println": true,
	"fmt.Fprintf": true, "fmt.Fprint": true, "fmt.Fprintln": true, "fmt.Errorf": true,
	"bytes.ReplaceAll": true, "bytes.Replace": true, "bytes.ToLower": true, "bytes.ToUpper": true, "bytes.Join": true, "bytes.Repeat": true, "bytes.Map": true,
	"strings.Clone": true, "bytes.Clone": true, "bytes.NewBufferString": true, "strings.Compare": true, "reflect.DeepEqual": true, "errors.Is": true,
	"strings.Builder.WriteString": true, "strings.Builder.WriteByte": true, "strings.Builder.WriteRune": true, "strings.Builder.Write": true,
	"strings.Builder.String": true, "strings.Builder.Len": true, "strings.Builder.Grow": true, "strings.Builder.Reset": true,
	"bytes.Buffer.WriteString": true, "bytes.Buffer.WriteByte": true, "bytes.Buffer.WriteRune": true, "bytes.Buffer.Write": true,
	"bytes.Buffer.String": true, "bytes.Buffer.Len": true, "bytes.Buffer.Reset": true, "bytes.Buffer.Truncate": true, "bytes.Buffer.Read": true, "bytes.Reader.Read": true, "strings.Reader.Read": true,
	"sync.Mutex.Lock": true, "sync.Mutex.Unlock": true, "sync.RWMutex.Lock": true, "sync.RWMutex.Unlock": true, "sync.RWMutex.RLock": true, "sync.RWMutex.RUnlock": true,
	"regexp.Regexp.MatchString": true, "regexp.Regexp.Match": true, "regexp.Regexp.FindStringIndex": true, "regexp.Regexp.FindIndex": true,
	"regexp.Regexp.FindStringSubmatchIndex": true, "regexp.Regexp.FindSubmatchIndex": true,
	"time.Parse": true, "encoding/base64.Encoding.DecodeString": true, "encoding/base64.Encoding.EncodeToString": true,
	"encoding/hex.DecodeString": true, "encoding/hex.EncodeToString": true, "io.ReadFull": true,
	"encoding/binary.bigEndian.Uint16": true, "encoding/binary.bigEndian.Uint32": true, "encoding/binary.bigEndian.Uint64": true,
	"encoding/binary.littleEndian.Uint16": true, "encoding/binary.littleEndian.Uint32": true, "encoding/binary.littleEndian.Uint64": true,
	"encoding/binary.bigEndian.PutUint16": true, "encoding/binary.bigEndian.PutUint32": true, "encoding/binary.bigEndian.PutUint64": true,
	"math/big.Int.SetString": true, "math/big.Int.String": true, "time.Time.Format": true,
}

// aliasing lists methods that retain nothing, and whose results may lead to an argument or the receiver.
var aliasing = map[string]bool{
	"strings.Replacer.Replace": true, "regexp.Regexp.FindString": true, "regexp.Regexp.FindStringSubmatch": true, "regexp.Regexp.FindAllString": true,
	"regexp.Regexp.ReplaceAllString": true, "regexp.Regexp.Split": true, "regexp.Regexp.Find": true, "regexp.Regexp.FindSubmatch": true, "regexp.Regexp.ReplaceAll": true,
}

// callsOnly reports whether a function calls a function argument before it returns, and never later.
func callsOnly(full string) bool {
	switch catalog.PackageOf(full) {
	case "strings", "bytes", "sort":
		return !strings.Contains(full, "Seq")
	case "slices":
		return true
	}
	return full == "maps.DeleteFunc" || full == "maps.EqualFunc" || full == "sync.Once.Do"
}

type effect uint8

const (
	retains effect = iota // it may keep its arguments, or store one in another
	aliases               // a result may lead to an argument
	copies                // nothing of an argument is left
)

// effectOf returns the effect of a function of another package on its arguments.
func (p *program) effectOf(full string) effect {
	pkg := catalog.PackageOf(full)
	name := strings.TrimPrefix(full, pkg+".")
	switch {
	case fresh[full] || p.trusted[full] || p.trusted[name]:
		return copies
	case aliasing[full]:
		return aliases
	case pure[pkg] && !strings.Contains(name, ".") && name != "NewReader" && name != "NewReplacer" && name != "NewBuffer":
		return aliases
	}
	return retains
}

// copiesArgument reports whether a method of an interface must not retain its argument, by its contract:
// io.Writer's Write and io.Reader's Read.
func copiesArgument(m *types.Func) bool {
	return (m.Name() == "Write" || m.Name() == "Read") && signature(m.Type()) == "func([]byte) (int, error)"
}

func calleeName(f *ssa.Function) string {
	if o, ok := f.Object().(*types.Func); ok {
		return catalog.FunctionName(o)
	}
	return f.Name()
}
