package fixedpool_test

import (
	"errors"
	"fmt"

	"github.com/ebbpool/arena/fixedpool"
)

type Order struct {
	ID    int64
	Price float64
}

func ExamplePool() {
	orders := fixedpool.New[Order](2)
	first, second := orders.Allocate(), orders.Allocate()
	fmt.Println(orders.Allocate() == nil) // all slots are in use
	orders.Deallocate(first)
	orders.Deallocate(second)
	defer func() {
		var misuse *fixedpool.MisuseError
		err, _ := recover().(error)
		fmt.Println(errors.As(err, &misuse), errors.Is(err, fixedpool.ErrDouble), orders.Used())
	}()
	//arenavet:ignore the example shows the panic
	orders.Deallocate(first) // panics: already free
	// Output:
	// true
	// true true 0
}

func ExamplePool_Owns() {
	slots := fixedpool.New[Order](8)
	e := slots.Allocate()
	fmt.Println(slots.Owns(e), slots.Owns(new(Order)), slots.Used(), slots.Capacity())
	slots.Deallocate(e)
	fmt.Println(slots.Empty(), slots.Stats().HighWater)
	// Output:
	// true false 1 8
	// true 1
}

func ExampleSyncPool_Stats() {
	orders := fixedpool.NewSync[[2]uint64](2)
	for range 3 {
		orders.Allocate()
	}
	s := orders.Stats()
	fmt.Println(s.Used, s.Capacity, s.Misses, s.UsedBytes)
	// Output: 2 2 1 32
}
