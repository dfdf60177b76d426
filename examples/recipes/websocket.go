package recipes

import (
	"context"
	"net/http"

	"github.com/coder/websocket"
	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

func WebSocket(pool *arena.ArenaPool) http.HandlerFunc { // not inside arenahttp.Handler
	return func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return // Accept has answered
		}
		defer conn.CloseNow()
		for err == nil {
			err = answer(r.Context(), conn, pool)
		}
	}
}

func answer(ctx context.Context, conn *websocket.Conn, pool *arena.ArenaPool) error {
	kind, body, err := conn.Reader(ctx) // waits for a message, without an arena
	if err != nil {
		return err
	}
	a := pool.Get()
	defer pool.Put(a)
	o := arena.New[Order](a)
	if err := arenajson.UnmarshalRead(a, body, o); err != nil {
		return err
	}
	reply, err := arenajson.Marshal(a, receipt(a, o))
	if err != nil {
		return err
	}
	return conn.Write(ctx, kind, reply)
}
