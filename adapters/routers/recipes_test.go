package routers_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ebbpool/arena"
	arenafasthttp "github.com/ebbpool/arena/adapters/fasthttp"
	"github.com/ebbpool/arena/arenahttp"
	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/recover"
	"github.com/labstack/echo/v4"
	echomiddleware "github.com/labstack/echo/v4/middleware"
	"github.com/valyala/fasthttp"
)

type text struct{ Text string }

// service is served by every recipe: /read reads a document, /alloc allocates the number of bytes in its
// body, which panics at a limit, /panic panics, and /arena reports which contexts lead to the arena.
type service func(path string, read func(v any) error, status func(error) int, a *arena.Arena) int

func serve(path string, read func(v any) error, status func(error) int, a *arena.Arena) int {
	if path == "/panic" {
		panic("oh")
	}
	var v text
	if err := read(&v); err != nil {
		return status(err)
	}
	if path == "/alloc" {
		n := 0
		fmt.Sscan(v.Text, &n)
		a.AllocBytes(n)
	}
	if a == nil {
		return http.StatusTeapot
	}
	return http.StatusOK
}

// recipes are the routers of docs/recipes.md. Each must respond to a request over its limit with the limit's
// status under the router's own recovery middleware, and handle other panics like the router.
var recipes = map[string]func(pool *arena.ArenaPool, serve service) func(*http.Request) int{
	"chi": func(pool *arena.ArenaPool, serve service) func(*http.Request) int {
		r := chi.NewRouter()
		r.Use(chimiddleware.Recoverer, func(next http.Handler) http.Handler { return arenahttp.Handler(pool, next) })
		r.HandleFunc("/*", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(serve(r.URL.Path, func(v any) error { return arenahttp.Read(r, v) }, arenahttp.Status, arena.FromContext(r.Context())))
		})
		return record(r)
	},
	"gin": func(pool *arena.ArenaPool, serve service) func(*http.Request) int {
		g := gin.New()
		g.Use(gin.CustomRecoveryWithWriter(io.Discard, func(c *gin.Context, v any) {
			status, ok := arenahttp.Recovered(v)
			if !ok {
				status = http.StatusInternalServerError
			}
			c.AbortWithStatus(status)
		}))
		g.Any("/*path", func(c *gin.Context) {
			c.Status(serve(c.Request.URL.Path, func(v any) error { return arenahttp.Read(c.Request, v) }, arenahttp.Status, arena.FromContext(c.Request.Context())))
		})
		return record(arenahttp.Handler(pool, g))
	},
	"gin with fallback": func(pool *arena.ArenaPool, serve service) func(*http.Request) int {
		g := gin.New()
		g.ContextWithFallback = true
		g.Use(gin.CustomRecoveryWithWriter(io.Discard, func(c *gin.Context, v any) {
			status, ok := arenahttp.Recovered(v)
			if !ok {
				status = http.StatusInternalServerError
			}
			c.AbortWithStatus(status)
		}))
		g.Any("/*path", func(c *gin.Context) {
			c.Status(serve(c.Request.URL.Path, func(v any) error { return arenahttp.Read(c.Request, v) }, arenahttp.Status, arena.FromContext(c)))
		})
		return record(arenahttp.Handler(pool, g))
	},
	"echo": func(pool *arena.ArenaPool, serve service) func(*http.Request) int {
		e := echo.New()
		e.Use(echomiddleware.RecoverWithConfig(echomiddleware.RecoverConfig{DisablePrintStack: true}))
		e.Logger.SetOutput(io.Discard)
		e.HTTPErrorHandler = func(err error, c echo.Context) {
			if status, ok := arenahttp.Recovered(err); ok {
				err = echo.NewHTTPError(status)
			}
			e.DefaultHTTPErrorHandler(err, c)
		}
		e.Any("/*", func(c echo.Context) error {
			r := c.Request()
			return c.NoContent(serve(r.URL.Path, func(v any) error { return arenahttp.Read(r, v) }, arenahttp.Status, arena.FromContext(r.Context())))
		})
		return record(arenahttp.Handler(pool, e))
	},
	"fiber": func(pool *arena.ArenaPool, serve service) func(*http.Request) int {
		app := fiber.New(fiber.Config{ErrorHandler: func(c *fiber.Ctx, err error) error {
			if status, ok := arenafasthttp.Recovered(err); ok {
				err = fiber.NewError(status)
			}
			return fiber.DefaultErrorHandler(c, err)
		}})
		app.Use(recover.New())
		app.All("/*", func(c *fiber.Ctx) error {
			ctx := c.Context()
			return c.SendStatus(serve(c.Path(), func(v any) error { return arenafasthttp.Read(ctx, v) }, arenafasthttp.Status, arenafasthttp.FromContext(ctx)))
		})
		handler := arenafasthttp.Handler(pool, app.Handler())
		return func(r *http.Request) int {
			var ctx fasthttp.RequestCtx
			ctx.Request.Header.SetMethod(r.Method)
			ctx.Request.SetRequestURI(r.URL.Path)
			body, _ := io.ReadAll(r.Body)
			ctx.Request.SetBody(body)
			handler(&ctx)
			return ctx.Response.StatusCode()
		}
	},
}

func record(h http.Handler) func(*http.Request) int {
	return func(r *http.Request) int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code
	}
}

func TestRecipes(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	for name, recipe := range recipes {
		pool := arena.NewArenaPool(4096, 0)
		pool.SetLimit(64<<10, 96<<10)
		send := recipe(pool, serve)
		other := pool.Get()
		for _, x := range []struct {
			path, text string
			taken      bool // half of the total is in use
			want       int
		}{
			{"/read", "x", false, 200},
			{"/read", strings.Repeat("x", 100_000), false, 413},
			{"/read", strings.Repeat("x", 50_000), true, 503},
			{"/alloc", "100000", false, 413},
			{"/alloc", "50000", true, 503},
			{"/alloc", "50000", false, 200},
			{"/panic", "", false, 500},
		} {
			if x.taken {
				other.AllocBytes(60_000)
			}
			r := httptest.NewRequest("POST", x.path, strings.NewReader(`{"Text":"`+x.text+`"}`))
			if got := send(r); got != x.want {
				t.Errorf("%s: %s of %d bytes: status %d, want %d", name, x.path, len(x.text), got, x.want)
			}
			pool.Put(other)
			other = pool.Get()
		}
		pool.Put(other)
	}
}

// The contexts that docs/adapters.md lists as not leading to the arena.
func TestContextsWithoutArena(t *testing.T) {
	g := gin.New()
	g.GET("/", func(c *gin.Context) {
		if arena.FromContext(c) != nil || arena.FromContext(c.Request.Context()) == nil {
			t.Error("gin: FromContext(c) is not nil, or FromContext(c.Request.Context()) is")
		}
	})
	pool := arena.NewAutoPool(0)
	record(arenahttp.Handler(pool, g))(httptest.NewRequest("GET", "/", nil))

	app := fiber.New()
	app.Get("/", func(c *fiber.Ctx) error {
		if arena.FromContext(c.UserContext()) != nil || arena.FromContext(c.Context()) == nil {
			t.Error("fiber: FromContext(c.UserContext()) is not nil, or FromContext(c.Context()) is")
		}
		return nil
	})
	var ctx fasthttp.RequestCtx
	ctx.Request.SetRequestURI("/")
	arenafasthttp.Handler(pool, app.Handler())(&ctx)
}
