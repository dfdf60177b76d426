package workloads

import (
	"sync"

	"github.com/go-faster/jx"
)

// decoder is a JSON pull decoder with the scratch space for unescaped text.
// It walks the bytes and keeps nothing: all that outlives a call comes from
// the Memory. Decoders are pooled the same way for every subject.
type decoder struct {
	jx   jx.Decoder
	text []byte
	m    Memory
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// parseBody reads the JSON document b into e. Unknown keys are skipped.
func parseBody(m Memory, e *Event, b []byte) error {
	d := decoders.Get().(*decoder)
	d.m = m
	d.jx.ResetBytes(b)
	err := d.event(e)
	d.m = nil
	decoders.Put(d)
	return err
}

func (d *decoder) str(err *error) string {
	text, e := d.jx.StrAppend(d.text[:0])
	d.text = text
	if e != nil {
		*err = e
		return ""
	}
	return d.m.Text(text)
}

func (d *decoder) int(err *error) int64 {
	n, e := d.jx.Int64()
	if e != nil {
		*err = e
	}
	return n
}

func (d *decoder) event(e *Event) error {
	it, err := d.jx.ObjIter()
	for err == nil && it.Next() {
		switch string(it.Key()) {
		case "id":
			e.ID = d.str(&err)
		case "session":
			e.Session = d.str(&err)
		case "sent":
			e.Sent = d.str(&err)
		case "user":
			e.User = d.m.NewUser()
			err = d.user(e.User)
		case "device":
			e.Device = d.m.NewDevice()
			err = d.device(e.Device)
		case "items":
			err = d.items(e)
		case "attrs":
			err = d.attrs(e)
		default:
			err = d.jx.Skip()
		}
	}
	return firstOf(err, it.Err())
}

func (d *decoder) user(u *User) error {
	it, err := d.jx.ObjIter()
	for err == nil && it.Next() {
		switch string(it.Key()) {
		case "id":
			u.ID = d.int(&err)
		case "name":
			u.Name = d.str(&err)
		case "email":
			u.Email = d.str(&err)
		case "address":
			u.Address = d.m.NewAddress()
			err = d.address(u.Address)
		default:
			err = d.jx.Skip()
		}
	}
	return firstOf(err, it.Err())
}

func (d *decoder) address(a *Address) error {
	it, err := d.jx.ObjIter()
	for err == nil && it.Next() {
		switch string(it.Key()) {
		case "street":
			a.Street = d.str(&err)
		case "city":
			a.City = d.str(&err)
		case "zip":
			a.Zip = d.str(&err)
		case "country":
			a.Country = d.str(&err)
		default:
			err = d.jx.Skip()
		}
	}
	return firstOf(err, it.Err())
}

func (d *decoder) device(dev *Device) error {
	it, err := d.jx.ObjIter()
	for err == nil && it.Next() {
		switch string(it.Key()) {
		case "os":
			dev.OS = d.str(&err)
		case "browser":
			dev.Browser = d.str(&err)
		case "width":
			dev.Width = d.int(&err)
		case "height":
			dev.Height = d.int(&err)
		default:
			err = d.jx.Skip()
		}
	}
	return firstOf(err, it.Err())
}

func (d *decoder) items(e *Event) error {
	arr, err := d.jx.ArrIter()
	for err == nil && arr.Next() {
		var item Item
		err = d.item(&item)
		e.Items = d.m.AppendItem(e.Items, item)
	}
	return firstOf(err, arr.Err())
}

func (d *decoder) item(item *Item) error {
	it, err := d.jx.ObjIter()
	for err == nil && it.Next() {
		switch string(it.Key()) {
		case "sku":
			item.SKU = d.str(&err)
		case "title":
			item.Title = d.str(&err)
		case "qty":
			item.Qty = d.int(&err)
		case "price":
			item.Price = d.m.NewPrice()
			err = d.price(item.Price)
		case "tags":
			err = d.tags(item)
		default:
			err = d.jx.Skip()
		}
	}
	return firstOf(err, it.Err())
}

func (d *decoder) price(p *Price) error {
	it, err := d.jx.ObjIter()
	for err == nil && it.Next() {
		switch string(it.Key()) {
		case "amount":
			p.Amount = d.int(&err)
		case "currency":
			p.Currency = d.str(&err)
		default:
			err = d.jx.Skip()
		}
	}
	return firstOf(err, it.Err())
}

func (d *decoder) tags(item *Item) error {
	arr, err := d.jx.ArrIter()
	for err == nil && arr.Next() {
		item.Tags = d.m.AppendTag(item.Tags, d.str(&err))
	}
	return firstOf(err, arr.Err())
}

func (d *decoder) attrs(e *Event) error {
	it, err := d.jx.ObjIter()
	for err == nil && it.Next() {
		key := d.m.Text(it.Key())
		e.Fields = d.m.AppendField(e.Fields, Field{key, d.str(&err)})
	}
	return firstOf(err, it.Err())
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
