// Package routers contains only tests: of arenahttp with the routers chi, gorilla/mux, echo and gin, through
// their adapters for http.Handler. Programs do not need it:
//
//	router.Use(func(next http.Handler) http.Handler { return arenahttp.Handler(pool, next) })
package routers
