package life

import (
	"slices"
	"strings"
)

// keepers are packages of the standard library that keep what they are given in variables of their own, or give it to
// goroutines.
var keepers = map[string]bool{
	"reflect": true, "unsafe": true, "log": true, "log/slog": true, "log/syslog": true, "expvar": true, "unique": true, "weak": true, "plugin": true,
	"crypto/tls": true, "net/rpc": true, "net/rpc/jsonrpc": true, "runtime/debug": true, "runtime/pprof": true, "runtime/trace": true,
}

// keeping are how names of functions begin, and of methods, that do so in other packages. Those that answer a request
// set what a server reads when the answer's first part is sent: that may be later.
var keeping = map[string][]string{
	"os": {"Setenv", "Chdir"}, "syscall": {"Setenv"}, "mime": {"AddExtensionType"}, "encoding/gob": {"Register"}, "image": {"RegisterFormat"},
	"flag": {"Arg", "Bool", "Duration", "Float64", "Func", "Int", "Set", "String", "TextVar", "Uint", "Var"},
	"net":  {"Dial", "Listen", "Lookup", "Resolve", "Resolver.", "Dialer.", "ListenConfig."},
	"net/http": {
		"Get", "Head", "Post", "Client.", "Transport.", "Handle", "Serve", "ServeMux.Handle", "Listen", "Server.", "Redirect", "SetCookie",
	},
	"database/sql": {"Open", "Register", "DB.", "Conn.", "Tx."},
}

// keepsApart reports whether a function keeps what it is given, though neither its receiver nor its results lead to that.
func keepsApart(pkg, name string) bool {
	return keepers[pkg] || slices.ContainsFunc(keeping[pkg], func(begins string) bool { return strings.HasPrefix(name, pkg+"."+begins) })
}

// reading are how names of methods begin that keep no text: they look something up by it, or copy it.
var reading = []string{
	"Append", "Contains", "Cookie", "Decode", "Encode", "Equal", "Exec", "Find", "Form", "Get", "Has", "Lookup", "Match", "PathValue", "PostForm",
	"Replace", "Write",
}

// readsText reports whether a method keeps no text that it is given.
func readsText(name string) bool {
	method := name[strings.LastIndex(name, ".")+1:]
	return slices.ContainsFunc(reading, func(begins string) bool { return strings.HasPrefix(method, begins) })
}
