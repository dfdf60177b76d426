package handlers

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
)

// careful reuses the memory of requests: the order with its slices and map, the response with its maps, and
// buffers. They are cleared, or one request would show its values to the next. New strings share one text for
// each request, and strings of the order are substrings of a copy of the payload. With package unsafe neither
// is copied, and strings are valid during the request.
type careful struct{ pool sync.Pool }

// desk holds the memory of one request.
type desk struct {
	order  Order
	answer Answer
	text   []byte // all texts of the response, one after the other
	cuts   []int  // where the lines of the receipt begin and end in text
	in     []byte
	out    []byte
	share  bool // strings share the memory of text and the payload
}

func newCareful(share bool) *careful {
	return &careful{sync.Pool{New: func() any {
		return &desk{share: share, answer: Answer{
			Totals: map[string]int64{}, Tags: map[string]int{}, Params: map[string]string{}, Attrs: map[string]string{},
		}}
	}}}
}

func (h *careful) Serve(dst, payload []byte) ([]byte, error) {
	d := h.pool.Get().(*desk)
	defer h.pool.Put(d)
	if err := d.serve(payload); err != nil {
		return dst, err
	}
	return append(dst, d.out...), nil
}

func (d *desk) string(b []byte) string {
	if d.share {
		return unsafe.String(unsafe.SliceData(b), len(b))
	}
	return string(b)
}

// serve stores the response in d.out.
func (d *desk) serve(payload []byte) error {
	line, body, ok := strings.Cut(d.string(payload), "\n")
	if !ok {
		return errNoOrder
	}
	e, err := parseEntry(line)
	if err != nil {
		return err
	}
	defer d.clear()
	if err := sonic.UnmarshalString(body, &d.order); err != nil {
		return err
	}
	d.reckon(&e)
	d.out = d.out[:0]
	return encoder.EncodeInto(&d.out, &d.answer, encoder.SortMapKeys|encoder.EscapeHTML)
}

// reckon computes the response.
func (d *desk) reckon(e *entry) {
	ans, order := &d.answer, &d.order
	ans.ID, ans.At, ans.Status, ans.Bytes = order.ID, e.at, e.status, e.bytes
	t := d.text[:0]
	t = append(append(append(append(t, e.ip...), ' '), e.path...), " ("...)
	t = append(append(t, e.agent...), ')')
	from := len(t)
	u, v := &order.User, &order.Device
	t = append(append(append(append(t, u.Name...), " <"...), u.Email...), ">, "...)
	t = append(append(append(append(t, u.Address.Street...), ", "...), u.Address.Zip...), ' ')
	t = append(append(append(t, u.Address.City...), ", "...), strings.ToUpper(u.Address.Country)...)
	to := len(t)
	t = append(append(append(append(t, v.Browser...), " on "...), v.OS...), ", "...)
	t = strconv.AppendInt(append(strconv.AppendInt(t, int64(v.Width), 10), 'x'), int64(v.Height), 10)
	device := len(t)
	for pair := range strings.SplitSeq(e.query, "&") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			ans.Params[key] = value
		}
	}
	for name, value := range order.Attrs {
		ans.Attrs[strings.ToLower(name)] = value
	}
	for i := range order.Items {
		item := &order.Items[i]
		d.cuts = append(d.cuts, len(t))
		t = append(append(strconv.AppendInt(t, item.Qty, 10), "x "...), item.Title...)
		d.cuts = append(d.cuts, len(t))
		p := &item.Price
		ans.Totals[p.Currency] += item.Qty * p.Amount
		for _, tag := range item.Tags {
			ans.Tags[tag]++
		}
		t = append(appendCents(append(t, " at "...), p.Amount), ' ')
		t = strconv.AppendInt(append(append(t, p.Currency...), " ("...), int64(i+1), 10)
		t = append(append(append(t, ", "...), item.SKU...), ")\n"...)
	}
	d.text = t
	text := d.string(t)
	ans.From, ans.To, ans.Device, ans.Receipt = text[:from], text[from:to], text[to:device], text[device:]
	if ans.Lines == nil {
		ans.Lines = []string{}
	}
	for i := 0; i < len(d.cuts); i += 2 {
		ans.Lines = append(ans.Lines, text[d.cuts[i]:d.cuts[i+1]])
	}
}

func appendCents(t []byte, amount int64) []byte {
	if amount < 0 {
		return fmt.Appendf(t, "%d.%02d", amount/100, amount%100)
	}
	return append(strconv.AppendInt(t, amount/100, 10), '.', byte('0'+amount/10%10), byte('0'+amount%10))
}

// clear prepares d for the next request: members missing in a document must not keep an earlier value.
func (d *desk) clear() {
	o := &d.order
	items := o.Items[:cap(o.Items)]
	for i := range items {
		clear(items[i].Tags)
		items[i] = Item{Tags: items[i].Tags[:0]}
	}
	clear(o.Attrs)
	*o = Order{Items: items[:0], Attrs: o.Attrs}
	ans := &d.answer
	clear(ans.Lines)
	clear(ans.Totals)
	clear(ans.Tags)
	clear(ans.Params)
	clear(ans.Attrs)
	*ans = Answer{Lines: ans.Lines[:0], Totals: ans.Totals, Tags: ans.Tags, Params: ans.Params, Attrs: ans.Attrs}
	d.cuts = d.cuts[:0]
}
