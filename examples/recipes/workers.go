package recipes

import (
	"log"
	"strings"
	"sync"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

func Work(pool *arena.ArenaPool, jobs <-chan []byte, results chan<- string, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for job := range jobs {
				pool.Do(func(a *arena.Arena) { // an arena for each job
					o := arena.New[Order](a)
					if err := arenajson.Unmarshal(a, job, o); err != nil {
						log.Print(err)
						return
					}
					results <- strings.Clone(receipt(a, o).Total) // outlives the job
				})
			}
		})
	}
	wg.Wait()
}
