//go:build !vt

package bench

// pooled is vtprotobuf, which needs code that is generated first: build with -tags vt.
func pooled(document, func() []byte) (subject, bool) { return subject{}, false }
