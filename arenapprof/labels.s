// The Go compiler takes a function without a body where there is a file of this kind.
