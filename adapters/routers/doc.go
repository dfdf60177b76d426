// Package routers has nothing but tests: of arenahttp under the routers that programs
// use (chi, gorilla/mux, echo, gin), by way of their adapters for an http.Handler. A
// program needs none of it:
//
//	router.Use(func(next http.Handler) http.Handler { return arenahttp.Handler(pool, next) })
package routers
