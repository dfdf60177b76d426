// Package finding has the names of the rules and makes diagnostics, with links to docs/arenavet.md.
package finding

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// Rule is a kind of finding. Its name is the category of its diagnostics, and the anchor of its section in
// docs/arenavet.md.
type Rule string

const (
	Escape    Rule = "escape"    // memory leaves the function that takes it back
	Stale     Rule = "stale"     // use after Reset, Rewind, Release, Put, Deallocate
	Goroutine Rule = "goroutine" // an arena in two goroutines
	Append    Rule = "append"    // builtin append to a slice in an arena
	Put       Rule = "put"       // Get without Put, Put twice
	Uninit    Rule = "uninit"    // an Uninit slice that is read before it is written
	Mark      Rule = "mark"      // a stale Mark
	Collector Rule = "collector" // the collector's own API on memory of an arena
	Body      Rule = "body"      // memory as the body of a client's request
	Context   Rule = "context"   // FromContext of a context without the arena
	Heap      Rule = "heap"      // advice of -heap
	Ignore    Rule = "ignore"    // a comment that suppresses without a reason
)

// Rules lists the names of all rules.
var Rules = []string{
	string(Escape), string(Stale), string(Goroutine), string(Append),
	string(Put), string(Uninit), string(Mark), string(Collector), string(Body), string(Context), string(Heap), string(Ignore),
}

const Page = "https://github.com/ebbpool/arena/blob/main/docs/arenavet.md"

// Diagnostic returns a finding with a link to its rule.
func Diagnostic(of Rule, pos token.Pos, text string, fixes ...analysis.SuggestedFix) analysis.Diagnostic {
	url := Page + "#" + string(of)
	return analysis.Diagnostic{Pos: pos, Category: string(of), Message: text + " (" + url + ")", URL: url, SuggestedFixes: fixes}
}
