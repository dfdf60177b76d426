package subjects

import (
	"unsafe"

	"github.com/valyala/bytebufferpool"
)

// buffers stores the strings of a cycle one after the other in a pooled buffer.
type buffers struct{ b *bytebufferpool.ByteBuffer }

func (s *buffers) Texts(dst []string, src string) {
	s.b = bytebufferpool.Get()
	for i := range dst {
		from := len(s.b.B)
		s.b.B = append(s.b.B, src...) // growing leaves earlier strings in the old array
		dst[i] = unsafe.String(&s.b.B[from], len(src))
	}
}

func (s *buffers) End() {
	if s.b != nil {
		bytebufferpool.Put(s.b)
		s.b = nil
	}
}
