package recipes

import (
	"net/http"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

func Echo(pool *arena.ArenaPool) http.Handler {
	e := echo.New()
	e.Use(middleware.Recover())
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		if status, ok := arenahttp.Recovered(err); ok { // a limit
			err = echo.NewHTTPError(status)
		}
		e.DefaultHTTPErrorHandler(err, c)
	}
	e.POST("/orders", func(c echo.Context) error {
		a := arena.FromContext(c.Request().Context())
		o := arena.New[Order](a)
		if err := arenahttp.Read(c.Request(), o); err != nil {
			return echo.NewHTTPError(arenahttp.Status(err), err.Error())
		}
		return arenahttp.Write(c.Response(), c.Request(), http.StatusCreated, receipt(a, o))
	})
	return arenahttp.Handler(pool, e)
}
