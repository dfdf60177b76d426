package arenagrpc

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	arenapb "github.com/ebbpool/arena/adapters/protobuf"
)

// CheckRequests returns an interceptor for debugging. It copies each request, compares it with the copy after
// the call, and calls report if they differ, with the full name of the method, the copy and the request.
//
// A difference means that the call's memory was written meanwhile: by a goroutine that still writes into a
// request of an earlier call, by an arena that was reset or put back too early, or by a handler that changes
// its request. It cannot detect a string that was kept and read later; use arenavet or builds with -tags
// arenacheck for that. Register it as the first interceptor. report must copy the parts of the request that
// it keeps.
func CheckRequests(report func(method string, was, is proto.Message)) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		is := messageOf(req)
		if is == nil {
			return next(ctx, req)
		}
		was := arenapb.Clone(is)
		defer func() {
			if !proto.Equal(was, is) {
				report(info.FullMethod, was, is)
			}
		}()
		return next(ctx, req)
	}
}
