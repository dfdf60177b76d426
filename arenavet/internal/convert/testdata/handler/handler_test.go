package handler

import (
	"testing"
)

func TestHandle(t *testing.T) {
	for range 3 {
		text, err := Handle([]string{"a", "b"})
		if text != "mine;A,Bb;a;" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		for _, it := range []*item{cache["a"], <-sent, last} {
			if it != nil && it.name == "" {
				t.Errorf("%+v", it)
			}
		}
		if cache["a"].name != "a" || last.name != "other" {
			t.Errorf("%+v, %+v", cache["a"], last)
		}
	}
	if _, err := Handle([]string{"a", ""}); err == nil || err.Error() != "no name behind a" {
		t.Error(err)
	}
}
