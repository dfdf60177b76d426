package arenavar_test

import (
	"encoding/json"
	"expvar"
	"fmt"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenavar"
	"github.com/ebbpool/arena/fixedpool"
)

func ExamplePublish() {
	pool := arena.NewArenaPool(64<<10, 0)
	arenavar.Publish("replies", pool)
	pool.Do(func(a *arena.Arena) { a.AllocString("hello") })

	var served arena.PoolStats
	err := json.Unmarshal([]byte(expvar.Get("replies").String()), &served)
	fmt.Println(served.Gets, served.Puts, err)
	// Output: 1 1 <nil>
}

func ExamplePublishFixed() {
	orders := fixedpool.NewSync[[2]uint64](2)
	arenavar.PublishFixed("slots", orders)
	orders.Allocate()

	var now fixedpool.Stats
	err := json.Unmarshal([]byte(expvar.Get("slots").String()), &now)
	fmt.Println(now.Used, now.Capacity, err)
	// Output: 1 2 <nil>
}
