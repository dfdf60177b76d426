// Package gin has the part of github.com/gin-gonic/gin that the tests need.
package gin

import (
	"net/http"
	"time"
)

type Engine struct{ ContextWithFallback bool }

func New() *Engine { return new(Engine) }

func (e *Engine) GET(path string, handlers ...func(*Context)) {}

type Context struct{ Request *http.Request }

func (c *Context) Set(key string, value any) {}

func (c *Context) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }
func (c *Context) Done() <-chan struct{}                   { return nil }
func (c *Context) Err() error                              { return nil }
func (c *Context) Value(key any) any                       { return nil }
