// Package shared has helpers of handlers.
package shared

import (
	"context"

	"github.com/ebbpool/arena"
)

type User struct {
	Name string
	Tags []string
}

// Cache keeps users by name.
type Cache struct{ users map[string]*User }

func (c *Cache) Put(u *User) { c.users[u.Name] = u }

// Parse returns a user of the context's arena.
func Parse(ctx context.Context, text string) *User {
	a := arena.FromContext(ctx)
	return arena.NewOf(a, User{Name: a.ToLower(text)})
}

// Async calls f later.
func Async(f func()) { go f() }

// Queue passes users to a worker.
type Queue struct{ c chan *User }

func (q *Queue) TryPush(u *User) bool {
	select {
	case q.c <- u:
		return true
	default:
		return false
	}
}

// Each calls f for each name.
func Each(names []string, f func(name string)) {
	for _, n := range names {
		f(n)
	}
}
