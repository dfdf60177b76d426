package recipes

import (
	"context"

	"github.com/ebbpool/arena"
	arenagrpc "github.com/ebbpool/arena/adapters/grpc"
	arenapb "github.com/ebbpool/arena/adapters/protobuf"
	logspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	"google.golang.org/grpc"
)

type Logs struct {
	logspb.UnimplementedLogsServiceServer
	audit chan *logspb.ExportLogsServiceRequest
}

func (s *Logs) Export(ctx context.Context, req *logspb.ExportLogsServiceRequest) (*logspb.ExportLogsServiceResponse, error) {
	s.audit <- arenapb.Clone(req) // outlives the call
	return arena.New[logspb.ExportLogsServiceResponse](arenagrpc.FromContext(ctx)), nil
}

func GRPC(pool *arena.ArenaPool, logs *Logs) *grpc.Server {
	server := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
	logspb.RegisterLogsServiceServer(arenagrpc.Wrap(server, pool), logs)
	return server
}
