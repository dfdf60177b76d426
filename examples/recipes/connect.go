package recipes

import (
	"context"
	"net/http"

	"connectrpc.com/connect"
	"github.com/ebbpool/arena"
	arenaconnect "github.com/ebbpool/arena/adapters/connect"
	logspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
)

func export(ctx context.Context, req *connect.Request[logspb.ExportLogsServiceRequest]) (*connect.Response[logspb.ExportLogsServiceResponse], error) {
	a := arena.FromContext(ctx)
	failed := arena.New[logspb.ExportLogsPartialSuccess](a)
	failed.ErrorMessage = a.Sprintf("no room for %d resources", len(req.Msg.ResourceLogs))
	return connect.NewResponse(arena.NewOf(a, logspb.ExportLogsServiceResponse{PartialSuccess: failed})), nil
}

const procedure = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"

func Connect(pool *arena.ArenaPool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(procedure, connect.NewUnaryHandler(procedure, export, arenaconnect.Option()))
	return arenaconnect.Handler(pool, mux)
}
