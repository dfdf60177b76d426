package user // want package:"waits"

import (
	"net/http"
	"strings"

	_ "example.com/bodywaits"
	"github.com/ebbpool/arena"
)

func fine(c *http.Client, a *arena.Arena) {
	c.Post("http://example.com", "", strings.NewReader(a.AllocString("x")))
}
