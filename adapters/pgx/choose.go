package arenapgx

import (
	"encoding/json"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/jackc/pgx/v5/pgtype"
)

// choose has w, a zero one, read values of the PostgreSQL type oid into variables of shape s.
func (w *way) choose(a *arena.Arena, m *pgtype.Map, oid uint32, format int16, s *shape) {
	w.arena, w.shape, w.oid, w.format, w.types = a, s, oid, format, m
	w.pick(m)
	w.plain = w.decode != nil && !s.ptr && !s.nullable
}

// pick picks how w decodes, if it can.
func (w *way) pick(m *pgtype.Map) {
	a, s, oid, format := w.arena, w.shape, w.oid, w.format
	if s.scans {
		return
	}
	known, ok := m.TypeForOID(oid)
	if format == pgtype.TextFormatCode && s.value.Kind() == reflect.String && (!ok || isText(known.Codec)) {
		w.decode = decodeText
		return
	}
	if !ok {
		return
	}
	switch codec := known.Codec.(type) {
	case pgtype.TextCodec:
		switch {
		case s.value.Kind() == reflect.String:
			w.decode = decodeText
		case s.value == bytesType:
			w.decode = decodeBytes
		}
	case *pgtype.JSONCodec:
		w.decode = jsonDecoder(s, codec.Unmarshal, decodeJSON)
	case *pgtype.JSONBCodec:
		if format == pgtype.BinaryFormatCode {
			w.decode = jsonDecoder(s, codec.Unmarshal, decodeJSONB)
		} else {
			w.decode = jsonDecoder(s, codec.Unmarshal, decodeJSON)
		}
	}
	if w.decode != nil || format != pgtype.BinaryFormatCode {
		return
	}
	switch codec := known.Codec.(type) {
	case pgtype.ByteaCodec:
		if s.value == bytesType {
			w.decode = decodeBytes
		}
	case pgtype.BoolCodec:
		if s.value.Kind() == reflect.Bool {
			w.decode = decodeBool
		}
	case pgtype.Int2Codec:
		w.decode, w.size = intDecoder(s.value.Kind()), 2
	case pgtype.Int4Codec:
		w.decode, w.size = intDecoder(s.value.Kind()), 4
	case pgtype.Int8Codec:
		w.decode, w.size = intDecoder(s.value.Kind()), 8
	case pgtype.Float4Codec:
		switch s.value.Kind() {
		case reflect.Float32:
			w.decode = decodeFloat4
		case reflect.Float64:
			w.decode = decodeFloat4To8
		}
	case pgtype.Float8Codec:
		if s.value.Kind() == reflect.Float64 {
			w.decode = decodeFloat8
		}
	case pgtype.NumericCodec:
		switch s.value.Kind() {
		case reflect.Float64:
			w.decode = decodeNumericToFloat
		case reflect.Struct:
			if s.value == numericType {
				w.decode = decodeNumeric
			}
		default:
			w.decode = numericDecoder(s.value.Kind())
		}
	case pgtype.UUIDCodec:
		switch {
		case s.value == uuidType:
			w.decode = decodeUUID
		case s.value.Kind() == reflect.String:
			w.decode = decodeUUIDToText
		}
	case pgtype.DateCodec:
		if s.isTime("Date") {
			w.decode = decodeDate
		}
	case *pgtype.TimestampCodec:
		if s.isTime("Timestamp") && codec.ScanLocation == nil {
			w.decode = decodeTimestamp
		}
	case *pgtype.TimestamptzCodec:
		if s.isTime("Timestamptz") && codec.ScanLocation == nil {
			w.decode = decodeTimestamptz
		}
	case *pgtype.CompositeCodec:
		if w.fields = compositeFields(a, m, codec, s); w.fields != nil {
			w.decode = decodeComposite
		}
	case *pgtype.ArrayCodec:
		if s.elem != nil && codec.ElementType != nil {
			w.elem = arena.New[way](a)
			w.elem.choose(a, m, codec.ElementType.OID, format, s.elem)
			if w.elem.decode != nil {
				w.decode = decodeArray
			}
		}
	}
}

// compositeFields says where the attributes of a composite type go: as pgx has them, to the
// exported fields as they stand in the struct. It is nil for what is left to pgx.
func compositeFields(a *arena.Arena, m *pgtype.Map, codec *pgtype.CompositeCodec, s *shape) []column {
	if s.value.Kind() != reflect.Struct || s.nullable || s.value == timeType || s.value == numericType {
		return nil
	}
	fields, err := matcher.ByPosition(s.value, len(codec.Fields))
	if err != nil {
		return nil
	}
	all, n := arena.MakeSlice[column](a, len(fields), max(len(fields), 1)), 0
	for i := range s.value.NumField() {
		if !s.value.Field(i).IsExported() {
			continue
		}
		if n == len(fields) || len(fields[n].Index) != 1 || fields[n].Index[0] != i {
			return nil // a field that tags leave out, or fields of an embedded one: not so in pgx
		}
		f := &fields[n]
		all[n].offset = f.Offset
		all[n].way.choose(a, m, codec.Fields[n].Type.OID, pgtype.BinaryFormatCode, &f.Of)
		n++
	}
	return all
}

// isText reports whether what the server writes as text is the value itself, for codec.
func isText(codec pgtype.Codec) bool {
	switch c := codec.(type) {
	case pgtype.TextCodec, *pgtype.EnumCodec:
		return true
	case *pgtype.TextFormatOnlyCodec:
		return isText(c.Codec)
	}
	return false
}

// jsonDecoder returns decode for what pgx would give to encoding/json, by the Unmarshal
// that it has registered for JSON.
func jsonDecoder(s *shape, unmarshal func([]byte, any) error, decode decoder) decoder {
	if s.nullable || s.value == numericType || reflect.ValueOf(unmarshal).Pointer() != reflect.ValueOf(json.Unmarshal).Pointer() {
		return nil
	}
	switch s.value.Kind() {
	case reflect.Struct, reflect.Map, reflect.Array:
		return decode
	case reflect.Slice:
		if s.value != bytesType {
			return decode
		}
	}
	return nil
}
