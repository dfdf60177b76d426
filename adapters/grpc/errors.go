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

// exhausted returns what a client is told when a limit refused memory to its call.
func exhausted(over *arena.LimitError) error {
	st := status.New(codes.ResourceExhausted, over.Error())
	if over.Retry {
		if retry, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Second)}); err == nil {
			st = retry
		}
	}
	return st.Err()
}

// isStored reports whether err has its text, st's, and its status somewhere. Others make them
// of what err leads to whenever they are asked: as errors.Join does, a fs.PathError, and many
// of a program's own.
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

// sentFrom reports whether st has text that lies in a.
func sentFrom(a *arena.Arena, st *status.Status) bool {
	if liesIn(a, st.Message()) {
		return true
	}
	for _, detail := range st.Proto().GetDetails() {
		if liesIn(a, detail.GetTypeUrl()) {
			return true
		}
	}
	return false
}

// liesIn reports whether s lies in a: only then does Escape move it.
func liesIn(a *arena.Arena, s string) bool {
	// The pointers are compared, and never followed.
	return s != "" && unsafe.StringData(arena.Escape(a, s)) != unsafe.StringData(s)
}

// warning is logged once.
type warning struct{ said sync.Once }

func (w *warning) once(text string) {
	w.said.Do(func() { grpclog.Component("arenagrpc").Warning(text) })
}
