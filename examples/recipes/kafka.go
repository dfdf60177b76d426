package recipes

import (
	"context"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Answer produces a receipt for each order in fetches, which client.PollFetches has returned. Kafka's answers go to done.
func Answer(ctx context.Context, client *kgo.Client, pool *arena.ArenaPool, fetches kgo.Fetches, done func(*kgo.Record, error)) error {
	for record := range fetches.RecordsAll() {
		value, err := answerTo(record.Value, pool)
		if err != nil {
			return err
		}
		client.Produce(ctx, &kgo.Record{Topic: "receipts", Value: value}, done)
	}
	return fetches.Err()
}

func answerTo(value []byte, pool *arena.ArenaPool) ([]byte, error) {
	a := pool.Get() // an arena for each record
	defer pool.Put(a)
	o := arena.New[Order](a)
	if err := arenajson.Unmarshal(a, value, o); err != nil {
		return nil, err
	}
	return arenajson.Marshal(nil, receipt(a, o)) // on the heap: Produce returns before the client has sent it
}
