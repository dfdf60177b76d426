package arenajson

import "fmt"

// Types with every combination of the methods of encoding/json, on values (V) and on pointers (P). Structs
// get them by embedding; other types have their own.

type (
	jsonV struct{}
	jsonP struct{}
	appV  struct{}
	appP  struct{}
	textV struct{}
	textP struct{}

	unJSON struct{ got string }
	unText struct{ got string }
)

func (jsonV) MarshalJSON() ([]byte, error)        { return []byte(`{"json": "<V>"}`), nil }
func (*jsonP) MarshalJSON() ([]byte, error)       { return []byte(`["json P"]`), nil }
func (appV) AppendText(b []byte) ([]byte, error)  { return append(b, "app <V>"...), nil }
func (*appP) AppendText(b []byte) ([]byte, error) { return append(b, "app P"...), nil }
func (textV) MarshalText() ([]byte, error)        { return []byte("text <V>"), nil }
func (*textP) MarshalText() ([]byte, error)       { return []byte("text P"), nil }
func (u *unJSON) UnmarshalJSON(b []byte) error    { u.got = "json " + string(b); return failsFor(b) }
func (u *unText) UnmarshalText(b []byte) error    { u.got = "text " + string(b); return failsFor(b) }

// failsFor returns an error for a text with an x.
func failsFor(b []byte) error {
	for _, c := range b {
		if c == 'x' {
			return fmt.Errorf("an x in %s", b)
		}
	}
	return nil
}

type (
	hasNone struct {
		N int
	}
	hasTextVUnJSONUnText struct {
		textV
		unJSON
		unText
		N int
	}
	hasTextPUnJSON struct {
		textP
		unJSON
		N int
	}
	hasAppVUnText struct {
		appV
		unText
		N int
	}
	hasAppVTextV struct {
		appV
		textV
		N int
	}
	hasAppVTextPUnJSONUnText struct {
		appV
		textP
		unJSON
		unText
		N int
	}
	hasAppPUnJSON struct {
		appP
		unJSON
		N int
	}
	hasAppPTextVUnText struct {
		appP
		textV
		unText
		N int
	}
	hasAppPTextP struct {
		appP
		textP
		N int
	}
	hasJsonVUnJSONUnText struct {
		jsonV
		unJSON
		unText
		N int
	}
	hasJsonVTextVUnJSON struct {
		jsonV
		textV
		unJSON
		N int
	}
	hasJsonVTextPUnText struct {
		jsonV
		textP
		unText
		N int
	}
	hasJsonVAppV struct {
		jsonV
		appV
		N int
	}
	hasJsonVAppVTextVUnJSONUnText struct {
		jsonV
		appV
		textV
		unJSON
		unText
		N int
	}
	hasJsonVAppVTextPUnJSON struct {
		jsonV
		appV
		textP
		unJSON
		N int
	}
	hasJsonVAppPUnText struct {
		jsonV
		appP
		unText
		N int
	}
	hasJsonVAppPTextV struct {
		jsonV
		appP
		textV
		N int
	}
	hasJsonVAppPTextPUnJSONUnText struct {
		jsonV
		appP
		textP
		unJSON
		unText
		N int
	}
	hasJsonPUnJSON struct {
		jsonP
		unJSON
		N int
	}
	hasJsonPTextVUnText struct {
		jsonP
		textV
		unText
		N int
	}
	hasJsonPTextP struct {
		jsonP
		textP
		N int
	}
	hasJsonPAppVUnJSONUnText struct {
		jsonP
		appV
		unJSON
		unText
		N int
	}
	hasJsonPAppVTextVUnJSON struct {
		jsonP
		appV
		textV
		unJSON
		N int
	}
	hasJsonPAppVTextPUnText struct {
		jsonP
		appV
		textP
		unText
		N int
	}
	hasJsonPAppP struct {
		jsonP
		appP
		N int
	}
	hasJsonPAppPTextVUnJSONUnText struct {
		jsonP
		appP
		textV
		unJSON
		unText
		N int
	}
	hasJsonPAppPTextPUnJSON struct {
		jsonP
		appP
		textP
		unJSON
		N int
	}
	stringHasJsonVUnJSON       string
	stringHasAppVUnText        string
	stringHasAppPTextV         string
	stringHasTextPUnTextUnJSON string
	intHasJsonVUnJSON          int
	intHasAppVUnText           int
	intHasAppPTextV            int
	intHasTextPUnTextUnJSON    int
	byteHasJsonVUnJSON         uint8
	byteHasAppVUnText          uint8
	byteHasAppPTextV           uint8
	byteHasTextPUnTextUnJSON   uint8
	listHasJsonVUnJSON         []int
	listHasAppVUnText          []int
	listHasAppPTextV           []int
	listHasTextPUnTextUnJSON   []int
	mapHasJsonVUnJSON          map[string]int
	mapHasAppVUnText           map[string]int
	mapHasAppPTextV            map[string]int
	mapHasTextPUnTextUnJSON    map[string]int
	floatHasJsonVUnJSON        float64
	floatHasAppVUnText         float64
	floatHasAppPTextV          float64
	floatHasTextPUnTextUnJSON  float64
)

func (stringHasJsonVUnJSON) MarshalJSON() ([]byte, error)          { return []byte(`"json V"`), nil }
func (x *stringHasJsonVUnJSON) UnmarshalJSON(b []byte) error       { return failsFor(b) }
func (stringHasAppVUnText) AppendText(b []byte) ([]byte, error)    { return append(b, "app V"...), nil }
func (x *stringHasAppVUnText) UnmarshalText(b []byte) error        { return failsFor(b) }
func (*stringHasAppPTextV) AppendText(b []byte) ([]byte, error)    { return append(b, "app P"...), nil }
func (stringHasAppPTextV) MarshalText() ([]byte, error)            { return []byte("text V"), nil }
func (*stringHasTextPUnTextUnJSON) MarshalText() ([]byte, error)   { return []byte("text P"), nil }
func (x *stringHasTextPUnTextUnJSON) UnmarshalText(b []byte) error { return failsFor(b) }
func (x *stringHasTextPUnTextUnJSON) UnmarshalJSON(b []byte) error { return failsFor(b) }
func (intHasJsonVUnJSON) MarshalJSON() ([]byte, error)             { return []byte(`"json V"`), nil }
func (x *intHasJsonVUnJSON) UnmarshalJSON(b []byte) error          { return failsFor(b) }
func (intHasAppVUnText) AppendText(b []byte) ([]byte, error)       { return append(b, "app V"...), nil }
func (x *intHasAppVUnText) UnmarshalText(b []byte) error           { return failsFor(b) }
func (*intHasAppPTextV) AppendText(b []byte) ([]byte, error)       { return append(b, "app P"...), nil }
func (intHasAppPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (*intHasTextPUnTextUnJSON) MarshalText() ([]byte, error)      { return []byte("text P"), nil }
func (x *intHasTextPUnTextUnJSON) UnmarshalText(b []byte) error    { return failsFor(b) }
func (x *intHasTextPUnTextUnJSON) UnmarshalJSON(b []byte) error    { return failsFor(b) }
func (byteHasJsonVUnJSON) MarshalJSON() ([]byte, error)            { return []byte(`"json V"`), nil }
func (x *byteHasJsonVUnJSON) UnmarshalJSON(b []byte) error         { return failsFor(b) }
func (byteHasAppVUnText) AppendText(b []byte) ([]byte, error)      { return append(b, "app V"...), nil }
func (x *byteHasAppVUnText) UnmarshalText(b []byte) error          { return failsFor(b) }
func (*byteHasAppPTextV) AppendText(b []byte) ([]byte, error)      { return append(b, "app P"...), nil }
func (byteHasAppPTextV) MarshalText() ([]byte, error)              { return []byte("text V"), nil }
func (*byteHasTextPUnTextUnJSON) MarshalText() ([]byte, error)     { return []byte("text P"), nil }
func (x *byteHasTextPUnTextUnJSON) UnmarshalText(b []byte) error   { return failsFor(b) }
func (x *byteHasTextPUnTextUnJSON) UnmarshalJSON(b []byte) error   { return failsFor(b) }
func (listHasJsonVUnJSON) MarshalJSON() ([]byte, error)            { return []byte(`"json V"`), nil }
func (x *listHasJsonVUnJSON) UnmarshalJSON(b []byte) error         { return failsFor(b) }
func (listHasAppVUnText) AppendText(b []byte) ([]byte, error)      { return append(b, "app V"...), nil }
func (x *listHasAppVUnText) UnmarshalText(b []byte) error          { return failsFor(b) }
func (*listHasAppPTextV) AppendText(b []byte) ([]byte, error)      { return append(b, "app P"...), nil }
func (listHasAppPTextV) MarshalText() ([]byte, error)              { return []byte("text V"), nil }
func (*listHasTextPUnTextUnJSON) MarshalText() ([]byte, error)     { return []byte("text P"), nil }
func (x *listHasTextPUnTextUnJSON) UnmarshalText(b []byte) error   { return failsFor(b) }
func (x *listHasTextPUnTextUnJSON) UnmarshalJSON(b []byte) error   { return failsFor(b) }
func (mapHasJsonVUnJSON) MarshalJSON() ([]byte, error)             { return []byte(`"json V"`), nil }
func (x *mapHasJsonVUnJSON) UnmarshalJSON(b []byte) error          { return failsFor(b) }
func (mapHasAppVUnText) AppendText(b []byte) ([]byte, error)       { return append(b, "app V"...), nil }
func (x *mapHasAppVUnText) UnmarshalText(b []byte) error           { return failsFor(b) }
func (*mapHasAppPTextV) AppendText(b []byte) ([]byte, error)       { return append(b, "app P"...), nil }
func (mapHasAppPTextV) MarshalText() ([]byte, error)               { return []byte("text V"), nil }
func (*mapHasTextPUnTextUnJSON) MarshalText() ([]byte, error)      { return []byte("text P"), nil }
func (x *mapHasTextPUnTextUnJSON) UnmarshalText(b []byte) error    { return failsFor(b) }
func (x *mapHasTextPUnTextUnJSON) UnmarshalJSON(b []byte) error    { return failsFor(b) }
func (floatHasJsonVUnJSON) MarshalJSON() ([]byte, error)           { return []byte(`"json V"`), nil }
func (x *floatHasJsonVUnJSON) UnmarshalJSON(b []byte) error        { return failsFor(b) }
func (floatHasAppVUnText) AppendText(b []byte) ([]byte, error)     { return append(b, "app V"...), nil }
func (x *floatHasAppVUnText) UnmarshalText(b []byte) error         { return failsFor(b) }
func (*floatHasAppPTextV) AppendText(b []byte) ([]byte, error)     { return append(b, "app P"...), nil }
func (floatHasAppPTextV) MarshalText() ([]byte, error)             { return []byte("text V"), nil }
func (*floatHasTextPUnTextUnJSON) MarshalText() ([]byte, error)    { return []byte("text P"), nil }
func (x *floatHasTextPUnTextUnJSON) UnmarshalText(b []byte) error  { return failsFor(b) }
func (x *floatHasTextPUnTextUnJSON) UnmarshalJSON(b []byte) error  { return failsFor(b) }

var methodZoo = []any{
	new(hasNone),
	new(hasTextVUnJSONUnText),
	new(hasTextPUnJSON),
	new(hasAppVUnText),
	new(hasAppVTextV),
	new(hasAppVTextPUnJSONUnText),
	new(hasAppPUnJSON),
	new(hasAppPTextVUnText),
	new(hasAppPTextP),
	new(hasJsonVUnJSONUnText),
	new(hasJsonVTextVUnJSON),
	new(hasJsonVTextPUnText),
	new(hasJsonVAppV),
	new(hasJsonVAppVTextVUnJSONUnText),
	new(hasJsonVAppVTextPUnJSON),
	new(hasJsonVAppPUnText),
	new(hasJsonVAppPTextV),
	new(hasJsonVAppPTextPUnJSONUnText),
	new(hasJsonPUnJSON),
	new(hasJsonPTextVUnText),
	new(hasJsonPTextP),
	new(hasJsonPAppVUnJSONUnText),
	new(hasJsonPAppVTextVUnJSON),
	new(hasJsonPAppVTextPUnText),
	new(hasJsonPAppP),
	new(hasJsonPAppPTextVUnJSONUnText),
	new(hasJsonPAppPTextPUnJSON),
	new(stringHasJsonVUnJSON),
	new(stringHasAppVUnText),
	new(stringHasAppPTextV),
	new(stringHasTextPUnTextUnJSON),
	new(intHasJsonVUnJSON),
	new(intHasAppVUnText),
	new(intHasAppPTextV),
	new(intHasTextPUnTextUnJSON),
	new(byteHasJsonVUnJSON),
	new(byteHasAppVUnText),
	new(byteHasAppPTextV),
	new(byteHasTextPUnTextUnJSON),
	new(listHasJsonVUnJSON),
	new(listHasAppVUnText),
	new(listHasAppPTextV),
	new(listHasTextPUnTextUnJSON),
	new(mapHasJsonVUnJSON),
	new(mapHasAppVUnText),
	new(mapHasAppPTextV),
	new(mapHasTextPUnTextUnJSON),
	new(floatHasJsonVUnJSON),
	new(floatHasAppVUnText),
	new(floatHasAppPTextV),
	new(floatHasTextPUnTextUnJSON),
}
