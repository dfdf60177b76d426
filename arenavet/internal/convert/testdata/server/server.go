// Package server has a receiver that lives longer than the request.
package server

type Entry struct{ Text string }

type Server struct {
	log []*Entry
	n   int
}

// Serve is the root: what it logs is the server's, what it answers is the request's.
func (s *Server) Serve(name string) *Entry {
	s.n++
	s.note("served " + name)
	return answer("hello " + name)
}

func (s *Server) note(text string) {
	s.log = append(s.log, &Entry{text})
}

func answer(text string) *Entry { return &Entry{text + "!"} }
