package mixed

import (
	"errors"
	"fmt"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/fixedpool"
)

// Types that own an arena or a pool of fixed capacity.

type Tree struct {
	nodes *arena.Arena
	root  *Node
}

type Node struct {
	left, right *Node
	key         int
}

func newTree() *Tree { return &Tree{nodes: arena.NewArena(4096, 0)} }

func (t *Tree) insert(key int) {
	at := &t.root
	for *at != nil {
		if key < (*at).key {
			at = &(*at).left
		} else {
			at = &(*at).right
		}
	}
	n := arena.New[Node](t.nodes)
	n.key = key
	*at = n
}

func (t *Tree) clear() {
	t.nodes.Reset()
	t.root = nil
}

func fineTree() {
	t := newTree()
	t.insert(1)
	t.clear()
	t.insert(2)
}

type orders struct {
	pool  *fixedpool.Pool[Item]
	byKey map[string]*Item
}

func (o *orders) add(key string) bool {
	it := o.pool.Allocate()
	if it == nil {
		return false
	}
	it.Name = key
	o.byKey[key] = it
	return true
}

func (o *orders) remove(key string) {
	if it, ok := o.byKey[key]; ok {
		delete(o.byKey, key)
		o.pool.Deallocate(it)
	}
}

func (o *orders) clear() {
	for key, it := range o.byKey {
		o.pool.Deallocate(it)
		delete(o.byKey, key)
	}
}

func finePutOnError(text string) (*Session, error) {
	a := pool.Get()
	it, err := parse(a, text)
	if err != nil {
		pool.Put(a)
		return nil, err
	}
	return &Session{a: a, first: it}, nil
}

type Session struct {
	a     *arena.Arena
	first *Item
}

func (s *Session) close() error {
	if s.a == nil {
		return errors.New("closed")
	}
	pool.Put(s.a)
	s.a, s.first = nil, nil
	return nil
}

func fineSession(text string) (n int, err error) {
	s, err := finePutOnError(text)
	if err != nil {
		return 0, err
	}
	defer s.close()
	return s.first.N, nil
}

func fineSessionSequence() {
	s, err := finePutOnError("x")
	if err != nil {
		return
	}
	fmt.Println(s.first.Name)
	s.close()
	s, err = finePutOnError("y")
	if err != nil {
		return
	}
	fmt.Println(s.first.Name)
	s.close()
}

// fineEachOther empties and puts back arenas that somebody else hands it, one
// after the other.
func fineEachOther(next func() *arena.Arena) (n int) {
	for {
		a := next()
		if a == nil {
			return n
		}
		it := arena.New[Item](a)
		n += it.N
		a.Reset()
		it = arena.New[Item](a)
		n += it.N
		pool.Put(a)
	}
}

func fineFromChannel(arenas <-chan *arena.Arena) {
	for a := range arenas {
		m := a.Mark()
		a.AllocString("x")
		a.Rewind(m)
		pool.Put(a)
	}
}

type connection struct {
	a    *arena.Arena
	last *Item
}

// fineConnections serves connections, each of which came with an arena.
func fineConnections(open <-chan *connection) (n int) {
	for c := range open {
		if c.last != nil {
			n += c.last.N
		}
		n += arena.New[Item](c.a).N
		pool.Put(c.a)
		c.a = nil
	}
	return n
}

func finePutBack(a *arena.Arena) { pool.Put(a) }
