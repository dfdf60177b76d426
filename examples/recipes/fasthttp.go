package recipes

import (
	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/valyala/fasthttp"
)

func FastHTTP(pool *arena.ArenaPool) fasthttp.RequestHandler {
	return arenafasthttp.Handler(pool, func(ctx *fasthttp.RequestCtx) {
		a := arenafasthttp.FromContext(ctx)
		o := arena.New[Order](a)
		if err := arenafasthttp.Read(ctx, o); err != nil {
			ctx.Error(err.Error(), arenafasthttp.Status(err))
			return
		}
		arenafasthttp.Write(ctx, fasthttp.StatusCreated, receipt(a, o))
	})
}
