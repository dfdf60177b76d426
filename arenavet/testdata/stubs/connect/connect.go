// Package arenaconnect stands in for the real one, whose dependencies the analyzer's tests
// would have to read each time.
package arenaconnect

import "connectrpc.com/connect"

func Option() connect.HandlerOption { return nil }
