package arenagrpc

import (
	"errors"
	"sync"
	"time"
	"unsafe"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/ebbpool/arena"
)

// exhausted returns the error that is sent to the client if a limit was exceeded.
func exhausted(over *arena.LimitError) error {
	st := status.New(codes.ResourceExhausted, over.Error())
	if over.Retry {
		if retry, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}); err == nil {
			st = retry
		}
	}
	return st.Err()
}

// isStored reports whether err stores its text, that of st, and its status. Other errors compute them at each
// call, as those of errors.Join, fs.PathError, and many programs do.
func isStored(err error, st *status.Status) bool {
	again, _ := status.FromError(err)
	if unsafe.StringData(st.Message()) != unsafe.StringData(again.Message()) {
		return false
	}
	var has interface{ GRPCStatus() *status.Status }
	if !errors.As(err, &has) {
		return true
	}
	one, other := has.GRPCStatus(), has.GRPCStatus()
	return one == other
}

// sentFrom reports whether st contains text in a.
func sentFrom(a *arena.Arena, st *status.Status) bool {
	if isIn(a, st.Message()) {
		return true
	}
	for _, detail := range st.Proto().GetDetails() {
		if isIn(a, detail.GetTypeUrl()) {
			return true
		}
	}
	return false
}

// isIn reports whether s is in a: only then does Escape copy it.
func isIn(a *arena.Arena, s string) bool {
	// The pointers are only compared.
	return s != "" && unsafe.StringData(arena.Escape(a, s)) != unsafe.StringData(s)
}

// warning is logged once.
type warning struct{ said sync.Once }

func (w *warning) once(text string) {
	w.said.Do(func() { grpclog.Component("arenagrpc").Warning(text) })
}
