package recipes

import (
	"context"
	"log/slog"
	"strings"

	"go.uber.org/zap"
)

func Log(ctx context.Context, logger *slog.Logger, o *Order) {
	logger.InfoContext(ctx, "order", "id", o.ID, "items", len(o.Items)) // slog's handlers format before they return
}

func LogZap(logger *zap.Logger, o *Order) *zap.Logger {
	logger.Info("order", zap.String("id", o.ID))                  // and so do zap's cores, but for zaptest/observer
	return logger.WithLazy(zap.String("id", strings.Clone(o.ID))) // keeps its fields
}
