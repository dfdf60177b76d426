package arenagrpc

import "strings"

// An Option configures Wrap.
type Option func(*registrar)

// HeapFor leaves the messages of services and methods on the heap, as if they had been registered with the
// server itself. A name is that of a service, such as "pkg.Service", or of a method, such as
// "pkg.Service/Method" or "/pkg.Service/Method". Use it for code that keeps strings of its requests and
// cannot be changed.
//
// The services of grpc-go are on the heap by default: health, reflection, channelz, and client status
// discovery, which package admin registers.
func HeapFor(names ...string) Option {
	return func(r *registrar) {
		for _, name := range names {
			r.heap = append(r.heap, strings.TrimPrefix(name, "/"))
		}
	}
}

// heapServices lists the services of grpc-go. The health service, for example, keeps a request's string as a
// map key.
var heapServices = []string{
	"grpc.health.v1.Health",
	"grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
	"grpc.channelz.v1.Channelz",
	"envoy.service.status.v3.ClientStatusDiscoveryService", "envoy.service.status.v2.ClientStatusDiscoveryService",
}

// onHeap reports whether the messages of a method stay on the heap.
func (r *registrar) onHeap(service, method string) bool {
	for _, name := range r.heap {
		if s, m, ok := strings.Cut(name, "/"); s == service && (!ok || m == method) {
			return true
		}
	}
	return false
}
