package server

import "testing"

func TestServe(t *testing.T) {
	var s Server
	for _, name := range []string{"a", "b"} {
		if e := s.Serve(name); e.Text != "hello "+name+"!" {
			t.Error(e.Text)
		}
	}
	if len(s.log) != 2 || s.log[0].Text != "served a" || s.log[1].Text != "served b" {
		t.Errorf("%+v", s.log)
	}
}
