package arenapprof

import (
	"context"
	"reflect"
	"runtime/pprof"
	"sync"
	"unsafe"
)

// labels are pairs of key and value.
type labels [][2]string

// getProfLabel returns the labels of the calling goroutine, as set by pprof.SetGoroutineLabels: a pointer to
// a type of package runtime/pprof. The runtime keeps this symbol for other users of go:linkname.
//
//go:linkname getProfLabel runtime/pprof.runtime_getProfLabel
func getProfLabel() unsafe.Pointer

// labelType is the type that getProfLabel's result points to. It is derived from a context with labels. A
// goroutine with labels then checks that getProfLabel returns the context's pointer. If not, ok is false and
// labels are never read.
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

// goroutineLabels returns the labels of the calling goroutine.
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

// keyContext records the key that package runtime/pprof passes to Value.
type keyContext struct {
	context.Context
	key any
}

func (c *keyContext) Value(key any) any {
	c.key = key
	return nil
}

// labelContext returns labels for every key.
type labelContext struct {
	context.Context
	labels any
}

func (c labelContext) Value(any) any { return c.labels }
