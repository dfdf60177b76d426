package model

import "testing"

// Used bytes are exact.
func TestBytes(t *testing.T) {
	tests := []struct {
		class       Class
		size, elems int
		want        int
	}{
		{Flat, 1, 0, 0}, {Flat, 1, 1, 8}, {Flat, 1, 8, 8}, {Flat, 1, 9, 16},
		{Flat, 3, 5, 16}, {Flat, 0, 100, 0}, {Flat, 24, 2, 48}, {Flat, 1101, 1, 1104},
		{Traced, 16, 3, 48}, {Traced, 4, 1, 4}, {Traced, 8, 0, 0},
	}
	for _, tt := range tests {
		var r Region
		o := r.Make(tt.class, tt.size, 0, tt.elems)
		if o.Bytes() != tt.want || r.Used() != tt.want || r.HighWater() != tt.want {
			t.Errorf("%v %d*%d: Bytes %d, Used %d, HighWater %d; want %d", tt.class,
				tt.elems, tt.size, o.Bytes(), r.Used(), r.HighWater(), tt.want)
		}
	}
	var r Region
	if o := r.String("abc"); o.Bytes() != 3 || r.Used() != 3 || o.Len != 3 {
		t.Errorf("String: %+v, used %d", o, r.Used())
	}
}

// Rewind undoes growth in place.
func TestRewindTakesBackGrowth(t *testing.T) {
	var r Region
	o := r.Make(Flat, 8, 2, 2)
	o.Elems[0], o.Elems[1] = 7, 8
	m := r.Mark()
	r.Grow(o, 6)
	o.Len, o.Elems[0], o.Elems[5] = 6, 9, 10
	p := r.Move(o, o.Elems, 12)
	if r.Used() != 48+96 || !r.Owns(p) {
		t.Fatalf("Used = %d", r.Used())
	}
	if !r.Rewind(m) {
		t.Fatal("mark is stale")
	}
	if r.Used() != 16 || r.Owns(p) || o.Len != 2 || o.Cap() != 2 || o.Elems[0] != 9 {
		t.Errorf("after Rewind: used %d, object %+v", r.Used(), o)
	}
	if r.HighWater() != 48+96 {
		t.Errorf("HighWater = %d", r.HighWater())
	}
	r.Grow(o, 3)
	if o.Elems[2] != 0 {
		t.Error("a grown element is not zero")
	}
}

// Marks nest, may be used again, and become invalid by a rewind to an earlier mark or a reset.
func TestMarks(t *testing.T) {
	var r Region
	if r.Valid(Mark{}) || r.Rewind(Mark{}) {
		t.Error("the zero mark is valid")
	}
	m1 := r.Mark()
	r.String("one")
	m2 := r.Mark()
	r.Make(Flat, 0, 3, 3)
	if r.Mark() != m2 {
		t.Error("a second mark in the same place is another one")
	}
	r.String("two")
	for range 2 {
		if !r.Rewind(m2) || r.Used() != 3 {
			t.Fatalf("Rewind(m2): used %d", r.Used())
		}
	}
	for range 2 {
		if !r.Rewind(m1) || r.Used() != 0 {
			t.Fatalf("Rewind(m1): used %d", r.Used())
		}
	}
	if r.Rewind(m2) {
		t.Error("m2 is valid after Rewind(m1)")
	}
	r.Reset()
	if r.Rewind(m1) || r.Resets() != 1 {
		t.Errorf("m1 is valid after Reset, or Resets = %d", r.Resets())
	}
	m3 := r.Mark()
	r.String("three")
	r.Reset()
	if r.Valid(m3) || r.Resets() != 2 || len(r.Live()) != 0 {
		t.Error("a second Reset keeps a mark or an object, or does not count")
	}
}

// A fork ends with its parent, or at a Rewind to an earlier mark. Its own Reset ends only its forks.
func TestForks(t *testing.T) {
	var r, old, young, below Region
	r.Fork(&old)
	m := r.Mark()
	r.Fork(&young)
	young.Fork(&below)
	for _, f := range []*Region{&old, &young, &below} {
		f.String("text")
	}
	if r.Used() != 0 || old.Used() != 4 {
		t.Errorf("%d and %d bytes", r.Used(), old.Used())
	}
	again := r.Mark() // the same position, but one more fork
	if !r.Rewind(again) || young.Ended() {
		t.Error("a Rewind to what came after a fork ended it")
	}
	young.Reset()
	if young.Ended() || !below.Ended() || below.Used() != 0 {
		t.Error("a fork's own Reset")
	}
	r.Rewind(m)
	if old.Ended() || !young.Ended() {
		t.Error("Rewind ends those that are younger than the mark")
	}
	r.Fork(&young)
	r.Reset()
	if !old.Ended() || !young.Ended() || old.Used() != 0 {
		t.Error("Reset ends all of them")
	}
}

// The model refuses what no arena may return, or a broken test would pass.
func TestMisuse(t *testing.T) {
	var r Region
	o := r.Make(Flat, 8, 1, 1)
	var gone Region
	for name, f := range map[string]func(){
		"negative length": func() { r.Make(Flat, 8, -1, 4) },
		"cap below len":   func() { r.Make(Flat, 8, 4, 3) },
		"negative size":   func() { r.Make(Flat, -8, 1, 1) },
		"text":            func() { r.Make(Text, 1, 1, 1) },
		"shrinking":       func() { r.Grow(o, 0) },
		"a fork in use":   func() { gone.Fork(&r) },
		"not owned":       func() { gone.Grow(o, 5) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
	if r.Used() != 8 {
		t.Errorf("Used = %d after misuse, want 8", r.Used())
	}
	for c, want := range map[Class]string{Flat: "flat", Text: "text", Traced: "traced", 9: "Class(9)"} {
		if c.String() != want {
			t.Errorf("Class(%d).String() = %q, want %q", uint8(c), c.String(), want)
		}
	}
}

// Dropped memory keeps its values and counts neither as used nor for the high water mark. Dropping an object
// older than a mark is refused, because Rewind would have to restore it.
func TestLeave(t *testing.T) {
	var r Region
	m := r.Mark()
	o := r.Make(Flat, 8, 2, 2)
	o.Elems[1] = 7
	p := r.Leave(o, o.Elems, 4)
	if r.Used() != 32 || r.HighWater() != 32 || !r.Owns(o) || o.Elems[1] != 7 || p.Elems[1] != 7 {
		t.Errorf("used %d, high water %d, %+v, %+v", r.Used(), r.HighWater(), o, p)
	}
	r.Mark()
	defer func() {
		if recover() == nil {
			t.Error("an object that a mark knows was left")
		}
		if !r.Rewind(m) || r.Used() != 0 {
			t.Errorf("used %d after the rewind", r.Used())
		}
	}()
	r.Leave(p, p.Elems, 8)
}
