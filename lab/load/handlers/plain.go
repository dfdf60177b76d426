package handlers

import (
	"bytes"
	"fmt"
	"strings"
)

// plain pays no attention to memory. Its codec can be replaced.
type plain struct {
	unmarshal func([]byte, any) error
	marshal   func(any) ([]byte, error)
}

func (h plain) Serve(dst, payload []byte) ([]byte, error) {
	line, body, ok := bytes.Cut(payload, []byte("\n"))
	if !ok {
		return dst, errNoOrder
	}
	e, err := parseEntry(string(line))
	if err != nil {
		return dst, err
	}
	var order Order
	if err := h.unmarshal(body, &order); err != nil {
		return dst, err
	}
	out, err := h.marshal(answer(&e, &order))
	if err != nil {
		return dst, err
	}
	return append(dst, out...), nil
}

func answer(e *entry, order *Order) *Answer {
	user, device := order.User, order.Device
	to := []string{user.Name + " <" + user.Email + ">", user.Address.Street, user.Address.Zip + " " + user.Address.City, strings.ToUpper(user.Address.Country)}
	ans := &Answer{
		ID:   order.ID,
		From: fmt.Sprintf("%s %s (%s)", e.ip, e.path, e.agent),
		At:   e.at, Status: e.status, Bytes: e.bytes,
		To:     strings.Join(to, ", "),
		Device: fmt.Sprintf("%s on %s, %dx%d", device.Browser, device.OS, device.Width, device.Height),
		Lines:  []string{},
		Totals: map[string]int64{},
		Tags:   map[string]int{},
		Params: map[string]string{},
		Attrs:  map[string]string{},
	}
	for pair := range strings.SplitSeq(e.query, "&") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			ans.Params[key] = value
		}
	}
	for name, value := range order.Attrs {
		ans.Attrs[strings.ToLower(name)] = value
	}
	var receipt strings.Builder
	for i, item := range order.Items {
		line := fmt.Sprintf("%dx %s", item.Qty, item.Title)
		ans.Lines = append(ans.Lines, line)
		receipt.WriteString(line)
		price := item.Price
		ans.Totals[price.Currency] += item.Qty * price.Amount
		for _, tag := range item.Tags {
			ans.Tags[tag]++
		}
		fmt.Fprintf(&receipt, " at %d.%02d %s (%d, %s)\n", price.Amount/100, price.Amount%100, price.Currency, i+1, item.SKU)
	}
	ans.Receipt = receipt.String()
	return ans
}
