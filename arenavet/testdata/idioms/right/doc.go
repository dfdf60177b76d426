// Package right has programs as people write them, which are right: a report is a false one.
// Each idiom begins with a comment that names it.
package right
