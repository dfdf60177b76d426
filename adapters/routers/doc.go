// Package routers has nothing but tests: of arenahttp under the routers that programs
// use, by way of their adapters for an http.Handler.
package routers
