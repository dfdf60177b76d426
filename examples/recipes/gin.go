package recipes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/gin-gonic/gin"
)

func Gin(pool *arena.ArenaPool) http.Handler {
	g := gin.New()
	g.Use(gin.CustomRecovery(func(c *gin.Context, v any) {
		status, ok := arenahttp.Recovered(v) // a limit
		if !ok {
			status = http.StatusInternalServerError
		}
		c.AbortWithStatus(status)
	}))
	g.POST("/orders", func(c *gin.Context) {
		a := arena.FromContext(c.Request.Context()) // not of c itself
		o := arena.New[Order](a)
		if err := arenahttp.Read(c.Request, o); err != nil {
			c.String(arenahttp.Status(err), "%v", err)
			return
		}
		arenahttp.Write(c.Writer, c.Request, http.StatusCreated, receipt(a, o))
	})
	return arenahttp.Handler(pool, g)
}
