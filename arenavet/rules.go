package arenavet

import (
	"go/token"

	"golang.org/x/tools/go/analysis"
)

// rule is one kind of finding. Its name is the diagnostic's category and the
// anchor of its section in docs/arenavet.md.
type rule string

const (
	ruleEscape    rule = "escape"    // memory leaves the function that takes it back
	ruleStale     rule = "stale"     // use after Reset, Rewind, Release, Put, Deallocate
	ruleGoroutine rule = "goroutine" // an arena in two goroutines
	ruleAppend    rule = "append"    // builtin append to a slice in an arena
	rulePut       rule = "put"       // Get without Put, Put twice
	ruleUninit    rule = "uninit"    // an Uninit slice that is read before it is written
	ruleMark      rule = "mark"      // a Mark that is no longer good
	ruleCollector rule = "collector" // the collector's own API on memory of an arena
	ruleHeap      rule = "heap"      // advice, with -heap: it goes to the heap, and could lie in an arena
	ruleIgnore    rule = "ignore"    // a comment that suppresses without a reason
)

// Rules are the names of all rules.
var Rules = []string{
	string(ruleEscape), string(ruleStale), string(ruleGoroutine), string(ruleAppend),
	string(rulePut), string(ruleUninit), string(ruleMark), string(ruleCollector), string(ruleHeap), string(ruleIgnore),
}

const page = "https://github.com/ebbpool/arena/blob/main/docs/arenavet.md"

// diagnostic is a finding as drivers show it, with a link to its rule.
func diagnostic(of rule, pos token.Pos, text string, fixes ...analysis.SuggestedFix) analysis.Diagnostic {
	anchor := "#" + string(of)
	return analysis.Diagnostic{Pos: pos, Category: string(of), Message: text + " (docs/arenavet.md" + anchor + ")", URL: page + anchor, SuggestedFixes: fixes}
}
