package programs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ServeOrder parses an order and answers with what it comes to.
func ServeOrder(body []byte) (uint64, error) {
	p := &orderParser{scanner{data: body}}
	order := p.value()
	if p.peek() != 0 {
		p.fail("the end is wanted")
	}
	if p.err != nil {
		return 0, p.err
	}
	answer, err := answerOrder(order)
	if err != nil {
		return 0, err
	}
	var d digest
	d.bytes(answer)
	return uint64(d), nil
}

// value is a JSON value, as a program has it that knows no types: what it is
// shows in which field is set.
type value struct {
	text   string // numbers and names, too
	list   []*value
	fields map[string]*value
}

func (v *value) field(name string) *value {
	if v == nil {
		return nil
	}
	return v.fields[name]
}

func (v *value) String() string {
	if v == nil {
		return ""
	}
	return v.text
}

type orderParser struct{ scanner }

func (p *orderParser) value() *value {
	v := &value{}
	switch p.peek() {
	case '{':
		p.at++
		v.fields = map[string]*value{}
		for !p.take('}') && p.err == nil {
			name := p.text()
			p.expect(':', "a : is wanted")
			v.fields[name] = p.value()
			if p.peek() != '}' {
				p.expect(',', "a , is wanted")
			}
		}
	case '[':
		p.at++
		for !p.take(']') && p.err == nil {
			v.list = append(v.list, p.value())
			if p.peek() != ']' {
				p.expect(',', "a , is wanted")
			}
		}
	case '"':
		v.text = p.text()
	default:
		v.text = string(p.bare())
	}
	return v
}

func (p *orderParser) text() string {
	text, escaped := p.quoted()
	if escaped {
		return string(appendUnescaped(nil, text))
	}
	return string(text)
}

func answerOrder(order *value) ([]byte, error) {
	items := order.field("items")
	if items == nil {
		return nil, fmt.Errorf("%s, not %q", notAnOrder, order.String())
	}
	totals := map[string]int64{}
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
		totals[price.field("currency").String()] += amount * quantity
		names = append(names, fmt.Sprintf("%dx %s", quantity, item.field("title")))
	}
	user := order.field("user")
	address := user.field("address")
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\"id\":%q,", order.field("id").String())
	out.WriteString("\"to\":" + strconv.Quote(user.field("name").String()+", "+address.field("street").String()+", "+strings.ToUpper(address.field("city").String())))
	out.WriteString(",\"items\":" + strconv.Quote(strings.Join(names, "; ")) + ",\"total\":{")
	for i, currency := range slices.Sorted(maps.Keys(totals)) {
		if i > 0 {
			out.WriteByte(',')
		}
		fmt.Fprintf(&out, "%q:%d.%02d", currency, totals[currency]/100, totals[currency]%100)
	}
	out.WriteString("},\"notes\":{")
	if attrs := order.field("attrs"); attrs != nil {
		for i, name := range slices.Sorted(maps.Keys(attrs.fields)) {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(strconv.Quote(name) + ":" + strconv.Quote(attrs.fields[name].String()))
		}
	}
	out.WriteString("}}\n")
	return out.Bytes(), nil
}
