// Package bytebufferpool is an adapter with the interface of
// github.com/valyala/bytebufferpool whose buffers are arenas.
package bytebufferpool

import "github.com/ebbpool/arena"

type ByteBuffer = arena.Arena

type Pool = arena.ArenaPool

var pool Pool

func Get() *ByteBuffer { return pool.Get() }

func Put(b *ByteBuffer) { pool.Put(b) }
