//go:build !vt

package bench

// pooled is vtprotobuf, which needs generated code: build with -tags vt.
func pooled(document, func() []byte) (subject, bool) { return subject{}, false }
