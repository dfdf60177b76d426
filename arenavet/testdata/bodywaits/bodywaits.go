package bodywaits // want package:"waits"

import (
	"net/http"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenahttp"
)

var client = http.Client{Transport: arenahttp.Transport(nil)}

func fine(a *arena.Arena) {
	client.Post("http://example.com", "", strings.NewReader(a.AllocString("x")))
}
