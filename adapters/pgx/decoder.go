package arenapgx

import (
	"encoding/json"
	"reflect"

	"github.com/ebbpool/arena"
	"github.com/jackc/pgx/v5/pgtype"
)

// choose prepares the zero decoder d for values of the PostgreSQL type oid and variables of target s.
func (d *decoder) choose(a *arena.Arena, m *pgtype.Map, oid uint32, format int16, s *target) {
	d.arena, d.target, d.oid, d.format, d.types = a, s, oid, format, m
	d.pick(m)
	d.plain = d.decode != nil && !s.ptr && !s.nullable
}

// pick chooses the decode function, if there is one.
func (d *decoder) pick(m *pgtype.Map) {
	a, s, oid, format := d.arena, d.target, d.oid, d.format
	if s.scans {
		return
	}
	known, ok := m.TypeForOID(oid)
	if format == pgtype.TextFormatCode && s.value.Kind() == reflect.String && (!ok || isText(known.Codec)) {
		d.decode = decodeText
		return
	}
	if !ok {
		return
	}
	switch codec := known.Codec.(type) {
	case pgtype.TextCodec:
		switch {
		case s.value.Kind() == reflect.String:
			d.decode = decodeText
		case s.value == bytesType:
			d.decode = decodeBytes
		}
	case *pgtype.JSONCodec:
		d.decode = jsonDecoder(s, codec.Unmarshal, decodeJSON)
	case *pgtype.JSONBCodec:
		if format == pgtype.BinaryFormatCode {
			d.decode = jsonDecoder(s, codec.Unmarshal, decodeJSONB)
		} else {
			d.decode = jsonDecoder(s, codec.Unmarshal, decodeJSON)
		}
	}
	if d.decode != nil || format != pgtype.BinaryFormatCode {
		return
	}
	switch codec := known.Codec.(type) {
	case pgtype.ByteaCodec:
		if s.value == bytesType {
			d.decode = decodeBytes
		}
	case pgtype.BoolCodec:
		if s.value.Kind() == reflect.Bool {
			d.decode = decodeBool
		}
	case pgtype.Int2Codec:
		d.decode, d.size = intDecoder(s.value.Kind()), 2
	case pgtype.Int4Codec:
		d.decode, d.size = intDecoder(s.value.Kind()), 4
	case pgtype.Int8Codec:
		d.decode, d.size = intDecoder(s.value.Kind()), 8
	case pgtype.Float4Codec:
		switch s.value.Kind() {
		case reflect.Float32:
			d.decode = decodeFloat4
		case reflect.Float64:
			d.decode = decodeFloat4To8
		}
	case pgtype.Float8Codec:
		if s.value.Kind() == reflect.Float64 {
			d.decode = decodeFloat8
		}
	case pgtype.NumericCodec:
		switch s.value.Kind() {
		case reflect.Float64:
			d.decode = decodeNumericToFloat
		case reflect.Struct:
			if s.value == numericType {
				d.decode = decodeNumeric
			}
		default:
			d.decode = numericDecoder(s.value.Kind())
		}
	case pgtype.UUIDCodec:
		switch {
		case s.value == uuidType:
			d.decode = decodeUUID
		case s.value.Kind() == reflect.String:
			d.decode = decodeUUIDToText
		}
	case pgtype.DateCodec:
		if s.isTime("Date") {
			d.decode = decodeDate
		}
	case *pgtype.TimestampCodec:
		if s.isTime("Timestamp") && codec.ScanLocation == nil {
			d.decode = decodeTimestamp
		}
	case *pgtype.TimestamptzCodec:
		if s.isTime("Timestamptz") && codec.ScanLocation == nil {
			d.decode = decodeTimestamptz
		}
	case *pgtype.CompositeCodec:
		if d.fields = compositeFields(a, m, codec, s); d.fields != nil {
			d.decode = decodeComposite
		}
	case *pgtype.ArrayCodec:
		if s.elem != nil && codec.ElementType != nil {
			d.elem = new(decoder)
			d.elem.choose(a, m, codec.ElementType.OID, format, s.elem)
			if d.elem.decode != nil {
				d.decode = decodeArray
			}
		}
	}
}

// compositeFields returns the destinations of the attributes of a composite type: the exported fields in their order,
// as in pgx. It returns nil if the type is left to pgx.
func compositeFields(a *arena.Arena, m *pgtype.Map, codec *pgtype.CompositeCodec, s *target) []column {
	if s.value.Kind() != reflect.Struct || s.nullable || s.value == timeType || s.value == numericType {
		return nil
	}
	fields, err := matcher.ByPosition(s.value, len(codec.Fields))
	if err != nil {
		return nil
	}
	all, n := make([]column, len(fields)), 0
	for i := range s.value.NumField() {
		if !s.value.Field(i).IsExported() {
			continue
		}
		if n == len(fields) || len(fields[n].Index) != 1 || fields[n].Index[0] != i {
			return nil // pgx ignores tags and embedded structs here
		}
		f := &fields[n]
		all[n].offset = f.Offset
		all[n].decoder.choose(a, m, codec.Fields[n].Type.OID, pgtype.BinaryFormatCode, &f.Of)
		n++
	}
	return all
}

// isText reports whether the text format of codec is the value itself.
func isText(codec pgtype.Codec) bool {
	switch c := codec.(type) {
	case pgtype.TextCodec, *pgtype.EnumCodec:
		return true
	case *pgtype.TextFormatOnlyCodec:
		return isText(c.Codec)
	}
	return false
}

// jsonDecoder returns decode if pgx would call json.Unmarshal, and nil otherwise.
func jsonDecoder(s *target, unmarshal func([]byte, any) error, decode decodeFunc) decodeFunc {
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
