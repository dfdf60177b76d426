package programs

import (
	"fmt"
	"strconv"

	"github.com/ebbpool/arena"
)

// ServeOrderIn is ServeOrder in an arena.
func ServeOrderIn(a *arena.Arena, body []byte) (uint64, error) {
	p := arena.NewOf(a, arenaOrderParser{scanner{data: body}, a})
	order := p.value()
	if p.peek() != 0 {
		p.fail("the end is wanted")
	}
	if p.err != nil {
		return 0, p.err
	}
	answer, err := answerOrderIn(a, order)
	if err != nil {
		return 0, err
	}
	var d digest
	d.bytes(answer)
	return uint64(d), nil
}

type arenaValue struct {
	text   string // numbers and names, too
	list   []*arenaValue
	fields *arena.Map[string, *arenaValue]
}

func (v *arenaValue) field(name string) *arenaValue {
	if v == nil {
		return nil
	}
	f, _ := v.fields.Get(name)
	return f
}

func (v *arenaValue) String() string {
	if v == nil {
		return ""
	}
	return v.text
}

type arenaOrderParser struct {
	scanner
	arena *arena.Arena
}

func (p *arenaOrderParser) value() *arenaValue {
	v := arena.New[arenaValue](p.arena)
	switch p.peek() {
	case '{':
		p.at++
		v.fields = arena.NewMap[string, *arenaValue](p.arena, 0)
		for !p.take('}') && p.err == nil {
			name := p.text()
			p.expect(':', "a : is wanted")
			v.fields.Set(name, p.value())
			if p.peek() != '}' {
				p.expect(',', "a , is wanted")
			}
		}
	case '[':
		p.at++
		for !p.take(']') && p.err == nil {
			v.list = arena.Append(p.arena, v.list, p.value())
			if p.peek() != ']' {
				p.expect(',', "a , is wanted")
			}
		}
	case '"':
		v.text = p.text()
	default:
		v.text = p.arena.AllocBytesToString(p.bare())
	}
	return v
}

func (p *arenaOrderParser) text() string {
	text, escaped := p.quoted()
	if escaped {
		// It gets no longer, so it stays in the arena.
		text = appendUnescaped(p.arena.AllocBytes(len(text))[:0], text)
	}
	return p.arena.AllocBytesToString(text)
}

func answerOrderIn(a *arena.Arena, order *arenaValue) ([]byte, error) {
	items := order.field("items")
	if items == nil {
		return nil, fmt.Errorf("%s, not %q", notAnOrder, order.String())
	}
	totals := arena.NewMap[string, int64](a, 0)
	var names []string
	for _, item := range items.list {
		price := item.field("price")
		amount, err := strconv.ParseInt(price.field("amount").String(), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("amount: %w", err)
		}
		quantity, err := strconv.ParseInt(item.field("qty").String(), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("qty: %w", err)
		}
		currency := price.field("currency").String()
		total, _ := totals.Get(currency)
		totals.Set(currency, total+amount*quantity)
		names = arena.Append(a, names, a.Sprintf("%dx %s", quantity, item.field("title")))
	}
	user := order.field("user")
	address := user.field("address")
	out := arena.NewBuffer(a, 256)
	fmt.Fprintf(out, "{\"id\":%q,", order.field("id").String())
	out.WriteString("\"to\":")
	out.AppendQuote(a.Concat(user.field("name").String(), ", ", address.field("street").String(), ", ", a.ToUpper(address.field("city").String())))
	out.WriteString(",\"items\":")
	out.AppendQuote(a.Join(names, "; "))
	out.WriteString(",\"total\":{")
	for i, currency := range sortedKeys(a, totals) {
		if i > 0 {
			out.WriteByte(',')
		}
		total, _ := totals.Get(currency)
		fmt.Fprintf(out, "%q:%d.%02d", currency, total/100, total%100)
	}
	out.WriteString("},\"notes\":{")
	if attrs := order.field("attrs"); attrs != nil {
		for i, name := range sortedKeys(a, attrs.fields) {
			if i > 0 {
				out.WriteByte(',')
			}
			value, _ := attrs.fields.Get(name)
			out.AppendQuote(name)
			out.WriteByte(':')
			out.AppendQuote(value.String())
		}
	}
	out.WriteString("}}\n")
	return out.Bytes(), nil
}
