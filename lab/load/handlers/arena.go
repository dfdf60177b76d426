package handlers

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/ebbpool/arena"
	"github.com/ebbpool/arena/arenajson"
)

// inArena is plain with an arena for each request: the same steps in the same order. Numbers are formatted by
// a Buffer instead of package fmt, whose arguments are boxed on the heap.
type inArena struct {
	pool *arena.ArenaPool
	http http.Handler
}

func (h *inArena) Serve(dst, payload []byte) ([]byte, error) {
	a := h.pool.Get()
	defer h.pool.Put(a)
	out, err := serveIn(a, payload)
	return append(dst, out...), err
}

// serveIn returns the response, allocated in a.
func serveIn(a *arena.Arena, payload []byte) ([]byte, error) {
	line, body, ok := bytes.Cut(payload, []byte("\n"))
	if !ok {
		return nil, errNoOrder
	}
	e, err := parseEntry(a.AllocBytesToString(line))
	if err != nil {
		return nil, err
	}
	order := arena.New[OrderIn](a)
	if err := arenajson.Unmarshal(a, body, order); err != nil {
		return nil, err
	}
	return arenajson.Marshal(a, answerIn(a, &e, order))
}

// OrderIn is an Order whose map is an arena.Map.
type OrderIn struct {
	ID      string                     `json:"id"`
	Session string                     `json:"session"`
	User    User                       `json:"user"`
	Device  Device                     `json:"device"`
	Items   []Item                     `json:"items"`
	Attrs   *arena.Map[string, string] `json:"attrs"`
}

// AnswerIn is an Answer whose maps are arena.Maps.
type AnswerIn struct {
	ID      string                     `json:"id"`
	From    string                     `json:"from"`
	At      int64                      `json:"at"`
	Status  int                        `json:"status"`
	Bytes   int                        `json:"bytes"`
	To      string                     `json:"to"`
	Device  string                     `json:"device"`
	Lines   []string                   `json:"lines"`
	Totals  *arena.Map[string, int64]  `json:"totals"`
	Tags    *arena.Map[string, int]    `json:"tags"`
	Params  *arena.Map[string, string] `json:"params"`
	Attrs   *arena.Map[string, string] `json:"attrs"`
	Receipt string                     `json:"receipt"`
}

func answerIn(a *arena.Arena, e *entry, order *OrderIn) *AnswerIn {
	user, device := &order.User, &order.Device
	text := arena.NewBuffer(a, 1024)
	text.WriteString(device.Browser)
	text.WriteString(" on ")
	text.WriteString(device.OS)
	text.WriteString(", ")
	text.AppendInt(int64(device.Width), 10)
	text.WriteByte('x')
	text.AppendInt(int64(device.Height), 10)
	to := arena.SliceOf(a, a.Concat(user.Name, " <", user.Email, ">"), user.Address.Street, a.Concat(user.Address.Zip, " ", user.Address.City), a.ToUpper(user.Address.Country))
	ans := arena.NewOf(a, AnswerIn{
		ID:   order.ID,
		From: a.Concat(e.ip, " ", e.path, " (", e.agent, ")"),
		At:   e.at, Status: e.status, Bytes: e.bytes,
		To:     a.Join(to, ", "),
		Device: text.String(),
		Lines:  arena.MakeSlice[string](a, 0, 0),
		Totals: arena.NewMap[string, int64](a, 0),
		Tags:   arena.NewMap[string, int](a, 0),
		Params: arena.NewMap[string, string](a, 0),
		Attrs:  arena.NewMap[string, string](a, 0),
	})
	for pair := range strings.SplitSeq(e.query, "&") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			ans.Params.Set(key, value)
		}
	}
	for name, value := range order.Attrs.All() {
		ans.Attrs.Set(a.ToLower(name), value)
	}
	receipt := text.Len()
	var cents [24]byte
	for i := range order.Items {
		item := &order.Items[i]
		from := text.Len()
		text.AppendInt(item.Qty, 10)
		text.WriteString("x ")
		text.WriteString(item.Title)
		ans.Lines = arena.Append(a, ans.Lines, text.String()[from:])
		price := &item.Price
		total, _ := ans.Totals.Get(price.Currency)
		ans.Totals.Set(price.Currency, total+item.Qty*price.Amount)
		for _, tag := range item.Tags {
			n, _ := ans.Tags.Get(tag)
			ans.Tags.Set(tag, n+1)
		}
		text.WriteString(" at ")
		text.Write(appendCents(cents[:0], price.Amount))
		text.WriteByte(' ')
		text.WriteString(price.Currency)
		text.WriteString(" (")
		text.AppendInt(int64(i+1), 10)
		text.WriteString(", ")
		text.WriteString(item.SKU)
		text.WriteString(")\n")
	}
	ans.Receipt = text.String()[receipt:]
	return ans
}
