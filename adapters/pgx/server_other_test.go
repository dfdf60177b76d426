//go:build !unix

package arenapgx_test

import "errors"

func startServer(string) (stop func(), err error) {
	return nil, errors.New("a server is started on Unix only")
}
