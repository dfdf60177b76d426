// Package modules names what arenavet is run over by make arenavet-modules:
// large modules that take their buffers from a pool.
package modules

import (
	_ "github.com/gofiber/fiber/v2"
	_ "github.com/gofiber/fiber/v2/middleware/adaptor"
	_ "github.com/gofiber/fiber/v2/middleware/cache"
	_ "github.com/gofiber/fiber/v2/middleware/compress"
	_ "github.com/gofiber/fiber/v2/middleware/csrf"
	_ "github.com/gofiber/fiber/v2/middleware/idempotency"
	_ "github.com/gofiber/fiber/v2/middleware/logger"
	_ "github.com/gofiber/fiber/v2/middleware/monitor"
	_ "github.com/gofiber/fiber/v2/middleware/proxy"
	_ "github.com/gofiber/fiber/v2/middleware/session"
	_ "github.com/valyala/fasthttp"
	_ "github.com/valyala/fasthttp/fasthttpadaptor"
	_ "github.com/valyala/fasthttp/fasthttputil"
	_ "github.com/valyala/fasthttp/prefork"
	_ "github.com/valyala/quicktemplate"
	_ "github.com/valyala/quicktemplate/parser"
)
