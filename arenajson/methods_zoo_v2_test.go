//go:build goexperiment.jsonv2

package arenajson

import "errors"

// Like methods_zoo_test.go, with the methods of v2. Types with a U return errors.ErrUnsupported, so that the
// next method is called.

type (
	toV struct{}
	toP struct{}
	toU struct{}

	from  struct{ got string }
	fromU struct{}
)

func (toV) MarshalJSONTo(w *v2Encoder) error  { return w.WriteValue([]byte(`{"to": "<V>"}`)) }
func (*toP) MarshalJSONTo(w *v2Encoder) error { return w.WriteValue([]byte(`"to P"`)) }
func (toU) MarshalJSONTo(w *v2Encoder) error  { return errors.ErrUnsupported }

func (f *from) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	if f.got = "from " + string(v); err == nil {
		err = failsFor(v)
	}
	return err
}
func (*fromU) UnmarshalJSONFrom(r *v2Decoder) error { return errors.ErrUnsupported }

type (
	hasToVFromUUnText struct {
		toV
		fromU
		unText
		N int
	}
	hasToVTextVFrom struct {
		toV
		textV
		from
		N int
	}
	hasToVTextPFromUUnJSONUnText struct {
		toV
		textP
		fromU
		unJSON
		unText
		N int
	}
	hasToVAppVFromUnJSON struct {
		toV
		appV
		from
		unJSON
		N int
	}
	hasToVAppVTextVUnText struct {
		toV
		appV
		textV
		unText
		N int
	}
	hasToVAppVTextPFromU struct {
		toV
		appV
		textP
		fromU
		N int
	}
	hasToVAppPUnJSONUnText struct {
		toV
		appP
		unJSON
		unText
		N int
	}
	hasToVAppPTextVFromUUnJSON struct {
		toV
		appP
		textV
		fromU
		unJSON
		N int
	}
	hasToVAppPTextPFromUnText struct {
		toV
		appP
		textP
		from
		unText
		N int
	}
	hasToVJsonV struct {
		toV
		jsonV
		N int
	}
	hasToVJsonVTextVFromUnJSONUnText struct {
		toV
		jsonV
		textV
		from
		unJSON
		unText
		N int
	}
	hasToVJsonVTextPUnJSON struct {
		toV
		jsonV
		textP
		unJSON
		N int
	}
	hasToVJsonVAppVFromUUnText struct {
		toV
		jsonV
		appV
		fromU
		unText
		N int
	}
	hasToVJsonVAppVTextVFrom struct {
		toV
		jsonV
		appV
		textV
		from
		N int
	}
	hasToVJsonVAppVTextPFromUUnJSONUnText struct {
		toV
		jsonV
		appV
		textP
		fromU
		unJSON
		unText
		N int
	}
	hasToVJsonVAppPFromUnJSON struct {
		toV
		jsonV
		appP
		from
		unJSON
		N int
	}
	hasToVJsonVAppPTextVUnText struct {
		toV
		jsonV
		appP
		textV
		unText
		N int
	}
	hasToVJsonVAppPTextPFromU struct {
		toV
		jsonV
		appP
		textP
		fromU
		N int
	}
	hasToVJsonPUnJSONUnText struct {
		toV
		jsonP
		unJSON
		unText
		N int
	}
	hasToVJsonPTextVFromUUnJSON struct {
		toV
		jsonP
		textV
		fromU
		unJSON
		N int
	}
	hasToVJsonPTextPFromUnText struct {
		toV
		jsonP
		textP
		from
		unText
		N int
	}
	hasToVJsonPAppV struct {
		toV
		jsonP
		appV
		N int
	}
	hasToVJsonPAppVTextVFromUnJSONUnText struct {
		toV
		jsonP
		appV
		textV
		from
		unJSON
		unText
		N int
	}
	hasToVJsonPAppVTextPUnJSON struct {
		toV
		jsonP
		appV
		textP
		unJSON
		N int
	}
	hasToVJsonPAppPFromUUnText struct {
		toV
		jsonP
		appP
		fromU
		unText
		N int
	}
	hasToVJsonPAppPTextVFrom struct {
		toV
		jsonP
		appP
		textV
		from
		N int
	}
	hasToVJsonPAppPTextPFromUUnJSONUnText struct {
		toV
		jsonP
		appP
		textP
		fromU
		unJSON
		unText
		N int
	}
	hasToPFromUnJSON struct {
		toP
		from
		unJSON
		N int
	}
	hasToPTextVUnText struct {
		toP
		textV
		unText
		N int
	}
	hasToPTextPFromU struct {
		toP
		textP
		fromU
		N int
	}
	hasToPAppVUnJSONUnText struct {
		toP
		appV
		unJSON
		unText
		N int
	}
	hasToPAppVTextVFromUUnJSON struct {
		toP
		appV
		textV
		fromU
		unJSON
		N int
	}
	hasToPAppVTextPFromUnText struct {
		toP
		appV
		textP
		from
		unText
		N int
	}
	hasToPAppP struct {
		toP
		appP
		N int
	}
	hasToPAppPTextVFromUnJSONUnText struct {
		toP
		appP
		textV
		from
		unJSON
		unText
		N int
	}
	hasToPAppPTextPUnJSON struct {
		toP
		appP
		textP
		unJSON
		N int
	}
	hasToPJsonVFromUUnText struct {
		toP
		jsonV
		fromU
		unText
		N int
	}
	hasToPJsonVTextVFrom struct {
		toP
		jsonV
		textV
		from
		N int
	}
	hasToPJsonVTextPFromUUnJSONUnText struct {
		toP
		jsonV
		textP
		fromU
		unJSON
		unText
		N int
	}
	hasToPJsonVAppVFromUnJSON struct {
		toP
		jsonV
		appV
		from
		unJSON
		N int
	}
	hasToPJsonVAppVTextVUnText struct {
		toP
		jsonV
		appV
		textV
		unText
		N int
	}
	hasToPJsonVAppVTextPFromU struct {
		toP
		jsonV
		appV
		textP
		fromU
		N int
	}
	hasToPJsonVAppPUnJSONUnText struct {
		toP
		jsonV
		appP
		unJSON
		unText
		N int
	}
	hasToPJsonVAppPTextVFromUUnJSON struct {
		toP
		jsonV
		appP
		textV
		fromU
		unJSON
		N int
	}
	hasToPJsonVAppPTextPFromUnText struct {
		toP
		jsonV
		appP
		textP
		from
		unText
		N int
	}
	hasToPJsonP struct {
		toP
		jsonP
		N int
	}
	hasToPJsonPTextVFromUnJSONUnText struct {
		toP
		jsonP
		textV
		from
		unJSON
		unText
		N int
	}
	hasToPJsonPTextPUnJSON struct {
		toP
		jsonP
		textP
		unJSON
		N int
	}
	hasToPJsonPAppVFromUUnText struct {
		toP
		jsonP
		appV
		fromU
		unText
		N int
	}
	hasToPJsonPAppVTextVFrom struct {
		toP
		jsonP
		appV
		textV
		from
		N int
	}
	hasToPJsonPAppVTextPFromUUnJSONUnText struct {
		toP
		jsonP
		appV
		textP
		fromU
		unJSON
		unText
		N int
	}
	hasToPJsonPAppPFromUnJSON struct {
		toP
		jsonP
		appP
		from
		unJSON
		N int
	}
	hasToPJsonPAppPTextVUnText struct {
		toP
		jsonP
		appP
		textV
		unText
		N int
	}
	hasToPJsonPAppPTextPFromU struct {
		toP
		jsonP
		appP
		textP
		fromU
		N int
	}
	hasToUUnJSONUnText struct {
		toU
		unJSON
		unText
		N int
	}
	hasToUTextVFromUUnJSON struct {
		toU
		textV
		fromU
		unJSON
		N int
	}
	hasToUTextPFromUnText struct {
		toU
		textP
		from
		unText
		N int
	}
	hasToUAppV struct {
		toU
		appV
		N int
	}
	hasToUAppVTextVFromUnJSONUnText struct {
		toU
		appV
		textV
		from
		unJSON
		unText
		N int
	}
	hasToUAppVTextPUnJSON struct {
		toU
		appV
		textP
		unJSON
		N int
	}
	hasToUAppPFromUUnText struct {
		toU
		appP
		fromU
		unText
		N int
	}
	hasToUAppPTextVFrom struct {
		toU
		appP
		textV
		from
		N int
	}
	hasToUAppPTextPFromUUnJSONUnText struct {
		toU
		appP
		textP
		fromU
		unJSON
		unText
		N int
	}
	hasToUJsonVFromUnJSON struct {
		toU
		jsonV
		from
		unJSON
		N int
	}
	hasToUJsonVTextVUnText struct {
		toU
		jsonV
		textV
		unText
		N int
	}
	hasToUJsonVTextPFromU struct {
		toU
		jsonV
		textP
		fromU
		N int
	}
	hasToUJsonVAppVUnJSONUnText struct {
		toU
		jsonV
		appV
		unJSON
		unText
		N int
	}
	hasToUJsonVAppVTextVFromUUnJSON struct {
		toU
		jsonV
		appV
		textV
		fromU
		unJSON
		N int
	}
	hasToUJsonVAppVTextPFromUnText struct {
		toU
		jsonV
		appV
		textP
		from
		unText
		N int
	}
	hasToUJsonVAppP struct {
		toU
		jsonV
		appP
		N int
	}
	hasToUJsonVAppPTextVFromUnJSONUnText struct {
		toU
		jsonV
		appP
		textV
		from
		unJSON
		unText
		N int
	}
	hasToUJsonVAppPTextPUnJSON struct {
		toU
		jsonV
		appP
		textP
		unJSON
		N int
	}
	hasToUJsonPFromUUnText struct {
		toU
		jsonP
		fromU
		unText
		N int
	}
	hasToUJsonPTextVFrom struct {
		toU
		jsonP
		textV
		from
		N int
	}
	hasToUJsonPTextPFromUUnJSONUnText struct {
		toU
		jsonP
		textP
		fromU
		unJSON
		unText
		N int
	}
	hasToUJsonPAppVFromUnJSON struct {
		toU
		jsonP
		appV
		from
		unJSON
		N int
	}
	hasToUJsonPAppVTextVUnText struct {
		toU
		jsonP
		appV
		textV
		unText
		N int
	}
	hasToUJsonPAppVTextPFromU struct {
		toU
		jsonP
		appV
		textP
		fromU
		N int
	}
	hasToUJsonPAppPUnJSONUnText struct {
		toU
		jsonP
		appP
		unJSON
		unText
		N int
	}
	hasToUJsonPAppPTextVFromUUnJSON struct {
		toU
		jsonP
		appP
		textV
		fromU
		unJSON
		N int
	}
	hasToUJsonPAppPTextPFromUnText struct {
		toU
		jsonP
		appP
		textP
		from
		unText
		N int
	}
	readsFrom struct {
		from
		N int
	}
	readsFromUnText struct {
		from
		unText
		N int
	}
	readsFromUnJSON struct {
		from
		unJSON
		N int
	}
	readsFromUnJSONUnText struct {
		from
		unJSON
		unText
		N int
	}
	readsFromU struct {
		fromU
		N int
	}
	readsFromUUnText struct {
		fromU
		unText
		N int
	}
	readsFromUUnJSON struct {
		fromU
		unJSON
		N int
	}
	readsFromUUnJSONUnText struct {
		fromU
		unJSON
		unText
		N int
	}
	stringHasToVFrom            string
	stringHasToPTextV           string
	stringHasToUAppVFromUUnText string
	intHasToVFrom               int
	intHasToPTextV              int
	intHasToUAppVFromUUnText    int
	byteHasToVFrom              uint8
	byteHasToPTextV             uint8
	byteHasToUAppVFromUUnText   uint8
	listHasToVFrom              []int
	listHasToPTextV             []int
	listHasToUAppVFromUUnText   []int
	mapHasToVFrom               map[string]int
	mapHasToPTextV              map[string]int
	mapHasToUAppVFromUUnText    map[string]int
	floatHasToVFrom             float64
	floatHasToPTextV            float64
	floatHasToUAppVFromUUnText  float64
)

func (stringHasToVFrom) MarshalJSONTo(w *v2Encoder) error { return w.WriteValue([]byte(`"to V"`)) }
func (x *stringHasToVFrom) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	if err == nil {
		err = failsFor(v)
	}
	return err
}
func (*stringHasToPTextV) MarshalJSONTo(w *v2Encoder) error          { return w.WriteValue([]byte(`"to P"`)) }
func (stringHasToPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (stringHasToUAppVFromUUnText) MarshalJSONTo(w *v2Encoder) error { return errors.ErrUnsupported }
func (stringHasToUAppVFromUUnText) AppendText(b []byte) ([]byte, error) {
	return append(b, "app V"...), nil
}
func (x *stringHasToUAppVFromUUnText) UnmarshalJSONFrom(r *v2Decoder) error {
	return errors.ErrUnsupported
}
func (x *stringHasToUAppVFromUUnText) UnmarshalText(b []byte) error { return failsFor(b) }
func (intHasToVFrom) MarshalJSONTo(w *v2Encoder) error              { return w.WriteValue([]byte(`"to V"`)) }
func (x *intHasToVFrom) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	if err == nil {
		err = failsFor(v)
	}
	return err
}
func (*intHasToPTextV) MarshalJSONTo(w *v2Encoder) error          { return w.WriteValue([]byte(`"to P"`)) }
func (intHasToPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (intHasToUAppVFromUUnText) MarshalJSONTo(w *v2Encoder) error { return errors.ErrUnsupported }
func (intHasToUAppVFromUUnText) AppendText(b []byte) ([]byte, error) {
	return append(b, "app V"...), nil
}
func (x *intHasToUAppVFromUUnText) UnmarshalJSONFrom(r *v2Decoder) error {
	return errors.ErrUnsupported
}
func (x *intHasToUAppVFromUUnText) UnmarshalText(b []byte) error { return failsFor(b) }
func (byteHasToVFrom) MarshalJSONTo(w *v2Encoder) error          { return w.WriteValue([]byte(`"to V"`)) }
func (x *byteHasToVFrom) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	if err == nil {
		err = failsFor(v)
	}
	return err
}
func (*byteHasToPTextV) MarshalJSONTo(w *v2Encoder) error          { return w.WriteValue([]byte(`"to P"`)) }
func (byteHasToPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (byteHasToUAppVFromUUnText) MarshalJSONTo(w *v2Encoder) error { return errors.ErrUnsupported }
func (byteHasToUAppVFromUUnText) AppendText(b []byte) ([]byte, error) {
	return append(b, "app V"...), nil
}
func (x *byteHasToUAppVFromUUnText) UnmarshalJSONFrom(r *v2Decoder) error {
	return errors.ErrUnsupported
}
func (x *byteHasToUAppVFromUUnText) UnmarshalText(b []byte) error { return failsFor(b) }
func (listHasToVFrom) MarshalJSONTo(w *v2Encoder) error           { return w.WriteValue([]byte(`"to V"`)) }
func (x *listHasToVFrom) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	if err == nil {
		err = failsFor(v)
	}
	return err
}
func (*listHasToPTextV) MarshalJSONTo(w *v2Encoder) error          { return w.WriteValue([]byte(`"to P"`)) }
func (listHasToPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (listHasToUAppVFromUUnText) MarshalJSONTo(w *v2Encoder) error { return errors.ErrUnsupported }
func (listHasToUAppVFromUUnText) AppendText(b []byte) ([]byte, error) {
	return append(b, "app V"...), nil
}
func (x *listHasToUAppVFromUUnText) UnmarshalJSONFrom(r *v2Decoder) error {
	return errors.ErrUnsupported
}
func (x *listHasToUAppVFromUUnText) UnmarshalText(b []byte) error { return failsFor(b) }
func (mapHasToVFrom) MarshalJSONTo(w *v2Encoder) error            { return w.WriteValue([]byte(`"to V"`)) }
func (x *mapHasToVFrom) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	if err == nil {
		err = failsFor(v)
	}
	return err
}
func (*mapHasToPTextV) MarshalJSONTo(w *v2Encoder) error          { return w.WriteValue([]byte(`"to P"`)) }
func (mapHasToPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (mapHasToUAppVFromUUnText) MarshalJSONTo(w *v2Encoder) error { return errors.ErrUnsupported }
func (mapHasToUAppVFromUUnText) AppendText(b []byte) ([]byte, error) {
	return append(b, "app V"...), nil
}
func (x *mapHasToUAppVFromUUnText) UnmarshalJSONFrom(r *v2Decoder) error {
	return errors.ErrUnsupported
}
func (x *mapHasToUAppVFromUUnText) UnmarshalText(b []byte) error { return failsFor(b) }
func (floatHasToVFrom) MarshalJSONTo(w *v2Encoder) error         { return w.WriteValue([]byte(`"to V"`)) }
func (x *floatHasToVFrom) UnmarshalJSONFrom(r *v2Decoder) error {
	v, err := r.ReadValue()
	if err == nil {
		err = failsFor(v)
	}
	return err
}
func (*floatHasToPTextV) MarshalJSONTo(w *v2Encoder) error          { return w.WriteValue([]byte(`"to P"`)) }
func (floatHasToPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (floatHasToUAppVFromUUnText) MarshalJSONTo(w *v2Encoder) error { return errors.ErrUnsupported }
func (floatHasToUAppVFromUUnText) AppendText(b []byte) ([]byte, error) {
	return append(b, "app V"...), nil
}
func (x *floatHasToUAppVFromUUnText) UnmarshalJSONFrom(r *v2Decoder) error {
	return errors.ErrUnsupported
}
func (x *floatHasToUAppVFromUUnText) UnmarshalText(b []byte) error { return failsFor(b) }

func init() {
	methodZoo = append(methodZoo,
		new(hasToVFromUUnText),
		new(hasToVTextVFrom),
		new(hasToVTextPFromUUnJSONUnText),
		new(hasToVAppVFromUnJSON),
		new(hasToVAppVTextVUnText),
		new(hasToVAppVTextPFromU),
		new(hasToVAppPUnJSONUnText),
		new(hasToVAppPTextVFromUUnJSON),
		new(hasToVAppPTextPFromUnText),
		new(hasToVJsonV),
		new(hasToVJsonVTextVFromUnJSONUnText),
		new(hasToVJsonVTextPUnJSON),
		new(hasToVJsonVAppVFromUUnText),
		new(hasToVJsonVAppVTextVFrom),
		new(hasToVJsonVAppVTextPFromUUnJSONUnText),
		new(hasToVJsonVAppPFromUnJSON),
		new(hasToVJsonVAppPTextVUnText),
		new(hasToVJsonVAppPTextPFromU),
		new(hasToVJsonPUnJSONUnText),
		new(hasToVJsonPTextVFromUUnJSON),
		new(hasToVJsonPTextPFromUnText),
		new(hasToVJsonPAppV),
		new(hasToVJsonPAppVTextVFromUnJSONUnText),
		new(hasToVJsonPAppVTextPUnJSON),
		new(hasToVJsonPAppPFromUUnText),
		new(hasToVJsonPAppPTextVFrom),
		new(hasToVJsonPAppPTextPFromUUnJSONUnText),
		new(hasToPFromUnJSON),
		new(hasToPTextVUnText),
		new(hasToPTextPFromU),
		new(hasToPAppVUnJSONUnText),
		new(hasToPAppVTextVFromUUnJSON),
		new(hasToPAppVTextPFromUnText),
		new(hasToPAppP),
		new(hasToPAppPTextVFromUnJSONUnText),
		new(hasToPAppPTextPUnJSON),
		new(hasToPJsonVFromUUnText),
		new(hasToPJsonVTextVFrom),
		new(hasToPJsonVTextPFromUUnJSONUnText),
		new(hasToPJsonVAppVFromUnJSON),
		new(hasToPJsonVAppVTextVUnText),
		new(hasToPJsonVAppVTextPFromU),
		new(hasToPJsonVAppPUnJSONUnText),
		new(hasToPJsonVAppPTextVFromUUnJSON),
		new(hasToPJsonVAppPTextPFromUnText),
		new(hasToPJsonP),
		new(hasToPJsonPTextVFromUnJSONUnText),
		new(hasToPJsonPTextPUnJSON),
		new(hasToPJsonPAppVFromUUnText),
		new(hasToPJsonPAppVTextVFrom),
		new(hasToPJsonPAppVTextPFromUUnJSONUnText),
		new(hasToPJsonPAppPFromUnJSON),
		new(hasToPJsonPAppPTextVUnText),
		new(hasToPJsonPAppPTextPFromU),
		new(hasToUUnJSONUnText),
		new(hasToUTextVFromUUnJSON),
		new(hasToUTextPFromUnText),
		new(hasToUAppV),
		new(hasToUAppVTextVFromUnJSONUnText),
		new(hasToUAppVTextPUnJSON),
		new(hasToUAppPFromUUnText),
		new(hasToUAppPTextVFrom),
		new(hasToUAppPTextPFromUUnJSONUnText),
		new(hasToUJsonVFromUnJSON),
		new(hasToUJsonVTextVUnText),
		new(hasToUJsonVTextPFromU),
		new(hasToUJsonVAppVUnJSONUnText),
		new(hasToUJsonVAppVTextVFromUUnJSON),
		new(hasToUJsonVAppVTextPFromUnText),
		new(hasToUJsonVAppP),
		new(hasToUJsonVAppPTextVFromUnJSONUnText),
		new(hasToUJsonVAppPTextPUnJSON),
		new(hasToUJsonPFromUUnText),
		new(hasToUJsonPTextVFrom),
		new(hasToUJsonPTextPFromUUnJSONUnText),
		new(hasToUJsonPAppVFromUnJSON),
		new(hasToUJsonPAppVTextVUnText),
		new(hasToUJsonPAppVTextPFromU),
		new(hasToUJsonPAppPUnJSONUnText),
		new(hasToUJsonPAppPTextVFromUUnJSON),
		new(hasToUJsonPAppPTextPFromUnText),
		new(readsFrom),
		new(readsFromUnText),
		new(readsFromUnJSON),
		new(readsFromUnJSONUnText),
		new(readsFromU),
		new(readsFromUUnText),
		new(readsFromUUnJSON),
		new(readsFromUUnJSONUnText),
		new(stringHasToVFrom),
		new(stringHasToPTextV),
		new(stringHasToUAppVFromUUnText),
		new(intHasToVFrom),
		new(intHasToPTextV),
		new(intHasToUAppVFromUUnText),
		new(byteHasToVFrom),
		new(byteHasToPTextV),
		new(byteHasToUAppVFromUUnText),
		new(listHasToVFrom),
		new(listHasToPTextV),
		new(listHasToUAppVFromUUnText),
		new(mapHasToVFrom),
		new(mapHasToPTextV),
		new(mapHasToUAppVFromUUnText),
		new(floatHasToVFrom),
		new(floatHasToPTextV),
		new(floatHasToUAppVFromUUnText),
	)
}
