package failing

import (
	"errors"
	"fmt"
)

type failure struct {
	names []string
	code  any
}

func (f *failure) Error() string { return f.names[0] }

type node struct{ value any }

var (
	nodes []*node
	seen  []any
	texts []string

	values = map[string]func(n int) error{"": valued}
)

// Each is called, so that nothing of it is left out.
func Each(name string, n int) (all []error) {
	_, b := both(name)
	m, c := two(n)
	return append(all, one(name), b, c, calls(n), same(n), loud(n), holds(n), joined(n), values[name](n), found([]byte(name)), paired(n), list(m))
}

//go:noinline
func one(name string) *failure {
	names := append([]string(nil), name) // append([]string(nil), name)
	return &failure{names: names}        // &failure{…}
}

//go:noinline
func both(name string) ([]string, *failure) {
	names := append([]string(nil), name)
	return names, &failure{} // &failure{}
}

//go:noinline
func two(n int) (*node, error) {
	return &node{}, &failure{code: n} // &failure{…}; n
}

//go:noinline
func failed(format string, args ...any) error {
	return fmt.Errorf("failed: "+format, args...)
}

//go:noinline
func calls(n int) error {
	return failed("%d", n) // n
}

//go:noinline
func held(args ...any) *failure {
	return &failure{code: args} // &failure{…}; args
}

//go:noinline
func holds(n int) error {
	return held(n) // ... argument; n
}

//go:noinline
func again(depth int, args ...any) error {
	if depth > 0 {
		return again(depth-1, args...)
	}
	return fmt.Errorf("again %v", args...)
}

//go:noinline
func same(n int) error {
	return again(n, n)
}

//go:noinline
func logged(format string, args ...any) error {
	seen = append(seen, args...)
	return fmt.Errorf(format, args...)
}

//go:noinline
func loud(n int) error {
	return logged("%d", n)
}

//go:noinline
func joined(n int) error {
	return errors.Join(errors.New("n"), failed("%d", n)) // n
}

//go:noinline
func list(n *node) error {
	nodes = append(nodes, n)
	return nil
}

func valued(n int) error {
	return fmt.Errorf("%d", n) // n
}

//go:noinline
func find(text string) error {
	texts = append(texts, text)
	return nil
}

//go:noinline
func found(name []byte) error {
	return errors.Join(find(string(name))) // string(name)
}

//go:noinline
func pair(v any) (*failure, []any) { return nil, append(seen, v) }

//go:noinline
func paired(n int) error {
	f, list := pair(n)
	seen = list
	return f
}
