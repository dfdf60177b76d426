// Package finding has the names of the rules, and the form of what is reported: with a link
// to the rule's section of docs/arenavet.md, unless a comment suppresses it.
package finding

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// Rule is one kind of finding. Its name is the diagnostic's category and the
// anchor of its section in docs/arenavet.md.
type Rule string

const (
	Escape    Rule = "escape"    // memory leaves the function that takes it back
	Stale     Rule = "stale"     // use after Reset, Rewind, Release, Put, Deallocate
	Goroutine Rule = "goroutine" // an arena in two goroutines
	Append    Rule = "append"    // builtin append to a slice in an arena
	Put       Rule = "put"       // Get without Put, Put twice
	Uninit    Rule = "uninit"    // an Uninit slice that is read before it is written
	Mark      Rule = "mark"      // a Mark that is no longer good
	Collector Rule = "collector" // the collector's own API on memory of an arena
	Body      Rule = "body"      // memory as the body of a client's request
	Context   Rule = "context"   // FromContext of a context that does not lead to the arena
	Heap      Rule = "heap"      // advice, with -heap: it goes to the heap, and could lie in an arena
	Ignore    Rule = "ignore"    // a comment that suppresses without a reason
)

// Rules are the names of all rules.
var Rules = []string{
	string(Escape), string(Stale), string(Goroutine), string(Append),
	string(Put), string(Uninit), string(Mark), string(Collector), string(Body), string(Context), string(Heap), string(Ignore),
}

const Page = "https://github.com/ebbpool/arena/blob/main/docs/arenavet.md"

// Diagnostic is a finding as drivers show it, with a link to its rule.
func Diagnostic(of Rule, pos token.Pos, text string, fixes ...analysis.SuggestedFix) analysis.Diagnostic {
	anchor := "#" + string(of)
	return analysis.Diagnostic{Pos: pos, Category: string(of), Message: text + " (docs/arenavet.md" + anchor + ")", URL: Page + anchor, SuggestedFixes: fixes}
}
