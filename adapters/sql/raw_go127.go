//go:build go1.27

package arenasql

// rawColumns reports whether drivers may scan into destinations themselves (driver.RowsColumnScanner).
const rawColumns = true
