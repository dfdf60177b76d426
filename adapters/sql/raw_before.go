//go:build !go1.27

package arenasql

const rawColumns = false
