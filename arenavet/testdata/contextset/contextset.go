package contextset

import (
	"github.com/ebbpool/arena"
	"github.com/gin-gonic/gin"
)

func fine() {
	g := gin.New()
	g.ContextWithFallback = true
	g.GET("/", func(c *gin.Context) { arena.FromContext(c).AllocBytes(1) })
}
