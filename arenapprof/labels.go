package arenapprof

import (
	"context"
	"reflect"
	"runtime/pprof"
	"sync"
	"unsafe"
)

// labels are pairs of a key and a value.
type labels [][2]string

// getProfLabel returns the labels of the goroutine that calls it, as
// pprof.SetGoroutineLabels has set them: a pointer to what a context has of package
// runtime/pprof. The runtime keeps this name for others who read it.
//
//go:linkname getProfLabel runtime/pprof.runtime_getProfLabel
func getProfLabel() unsafe.Pointer

// labelType is the type that getProfLabel's result points to. Package runtime/pprof is
// asked for it, and a goroutine with a label of its own whether the pointer is what the
// context has: if not, ok is false, and nothing is ever read.
var labelType = sync.OnceValues(func() (t reflect.Type, ok bool) {
	asked := &keyContext{Context: context.Background()}
	ctx := pprof.WithLabels(asked, pprof.Labels("key", "value"))
	v := reflect.ValueOf(ctx.Value(asked.key))
	if v.Kind() != reflect.Pointer {
		return nil, false
	}
	same := make(chan bool)
	go func() {
		pprof.SetGoroutineLabels(ctx)
		same <- getProfLabel() == v.UnsafePointer()
	}()
	return v.Type().Elem(), <-same
})

// goroutineLabels returns the labels of the goroutine that calls it.
func goroutineLabels() (l labels) {
	t, ok := labelType()
	if !ok {
		return nil
	}
	at := getProfLabel()
	if at == nil {
		return nil
	}
	ctx := labelContext{context.Background(), reflect.NewAt(t, at).Interface()}
	pprof.ForLabels(ctx, func(key, value string) bool {
		l = append(l, [2]string{key, value})
		return true
	})
	return l
}

// keyContext notes what package runtime/pprof finds labels by.
type keyContext struct {
	context.Context
	key any
}

func (c *keyContext) Value(key any) any {
	c.key = key
	return nil
}

// labelContext has labels, and nothing else.
type labelContext struct {
	context.Context
	labels any
}

func (c labelContext) Value(any) any { return c.labels }
