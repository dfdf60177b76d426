package recipes

import (
	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/recover"
	"github.com/valyala/fasthttp"
)

func Fiber(pool *arena.ArenaPool) fasthttp.RequestHandler {
	app := fiber.New(fiber.Config{ErrorHandler: func(c *fiber.Ctx, err error) error {
		if status, ok := arenafasthttp.Recovered(err); ok { // a limit
			err = fiber.NewError(status)
		}
		return fiber.DefaultErrorHandler(c, err)
	}})
	app.Use(recover.New())
	app.Post("/orders", func(c *fiber.Ctx) error {
		a := arenafasthttp.FromContext(c.Context()) // not c.UserContext()
		o := arena.New[Order](a)
		if err := arenafasthttp.Read(c.Context(), o); err != nil {
			return fiber.NewError(arenafasthttp.Status(err), err.Error())
		}
		return arenafasthttp.Write(c.Context(), fiber.StatusCreated, receipt(a, o))
	})
	return arenafasthttp.Handler(pool, app.Handler()) // for fasthttp.ListenAndServe
}
