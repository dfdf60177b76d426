// Package tuples puts results of calls into interfaces: where an assignment can become two statements they are
// boxed in the arena, unless the box is kept.
package tuples

import "strconv"

// Value is what is made.
type Value struct {
	Is, Next any
	Err      error
}

type list struct{ last Value }

var (
	kept    any
	keptErr error
)

func number(text string) (int, error)      { return strconv.Atoi(text) }
func both(text string) (int, string, bool) { return len(text), text, true }
func pointer(v *Value) (*Value, error)     { return v, nil }

// Parse is the root.
func Parse(texts []string) []*Value {
	var all []*Value
	for _, text := range texts {
		v := &Value{}
		v.Is, _ = number(text)
		v.Next, v.Err = number(text)
		all = append(all, v, named(text), left(text, v))
		keep(text)
	}
	return all
}

// named has names as those that are written, a literal, and cases.
func named(text string) *Value {
	boxed1 := &Value{}
	switch text {
	case "":
		boxed1.Is, boxed1.Next, _ = both(text)
	default:
		func() { boxed1.Is, boxed1.Next, _ = both(text + text) }()
		if l := (&list{}); text != "1" {
			_, l.last.Is, _ = both(text)
			boxed1.Next = l.last.Is
		}
	}
	return boxed1
}

// keep keeps boxes: they may not move.
func keep(text string) {
	kept, keptErr = number(text)
	var v Value
	v.Is, _ = number(text)
	kept = v.Is
	var here any
	here, _ = number(text)
	kept = &here
	f := &Value{}
	f.Is, _ = number(text)
	kept = func() any { return f.Is }
}

// left has assignments that can't become two, or whose result needs no box: they may not move.
func left(text string, v *Value) *Value {
	var ok bool
	values, numbers := []any{0, 1}, map[string]int{text: 1000}
	values[0], _ = number(text)
	if v.Is, v.Err = number(text); v.Err != nil {
		return v
	}
	v.Next, ok = numbers[text]
	v.Next, _ = pointer(v)
	switch {
	case ok:
		v.Is, _ = jumps(text, v)
	}
labeled:
	for range values {
		if ok {
			break labeled
		}
	}
	return v
}

// jumps has a goto, which may not lead over a variable.
func jumps(text string, v *Value) (int, error) {
	if text == "" {
		goto end
	}
	v.Next, _ = number(text)
end:
	return len(text) + 1000, nil
}
