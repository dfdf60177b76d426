//go:build !unix

package server

import "errors"

// Postgres returns an error.
func Postgres(dir string) (stop func(), err error) { return nil, errors.ErrUnsupported }

// MySQL returns an error.
func MySQL(dir string) (stop func(), err error) { return nil, errors.ErrUnsupported }
