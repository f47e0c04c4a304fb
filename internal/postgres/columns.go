package postgres

import (
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/durapay/durapay/internal/money"
)

// readDirectly makes a connection decode amounts, times and optional texts directly into
// the types of the rows. By default pgx would convert numbers to texts that are then
// parsed, and would search for a decoder for each column of each row. Unusual values are
// still left to pgx.
func readDirectly(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "numeric", OID: pgtype.NumericOID, Codec: numericColumn{}})
	m.RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: momentColumn{&pgtype.TimestamptzCodec{ScanLocation: time.UTC}},
	})
	m.RegisterType(&pgtype.Type{Name: "text", OID: pgtype.TextOID, Codec: textColumn{}})
	for _, oid := range []uint32{pgtype.TextArrayOID, pgtype.JSONArrayOID} {
		usual, _ := m.TypeForOID(oid)
		m.RegisterType(&pgtype.Type{Name: usual.Name, OID: oid, Codec: listColumn{usual.Codec}})
	}
}

// numericColumn decodes into money.Decimal and money.Piconero.
type numericColumn struct{ pgtype.NumericCodec }

// PlanScan implements pgtype.Codec.
func (c numericColumn) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if format == pgtype.BinaryFormatCode {
		switch target.(type) {
		case *money.Decimal, **money.Decimal, *money.Piconero, **money.Piconero:
			return numericPlan{m}
		}
	}
	return c.NumericCodec.PlanScan(m, oid, format, target)
}

// numericPlan decodes a number in PostgreSQL's binary format.
type numericPlan struct{ m *pgtype.Map }

// Scan implements pgtype.ScanPlan.
func (p numericPlan) Scan(src []byte, into any) error {
	switch v := into.(type) {
	case **money.Decimal:
		if *v = nil; src == nil {
			return nil
		}
		*v = new(money.Decimal)
		return p.Scan(src, *v)
	case **money.Piconero:
		if *v = nil; src == nil {
			return nil
		}
		*v = new(money.Piconero)
		return p.Scan(src, *v)
	case *money.Decimal:
		if n, decimals, ok := smallNumber(src); ok {
			*v = money.NewDecimal(n, decimals)
			return nil
		}
		return p.byText(src, v)
	}
	v, _ := into.(*money.Piconero)
	if n, decimals, ok := smallNumber(src); ok && decimals == 0 && n >= 0 {
		*v = money.Piconero(n)
		return nil
	}
	return p.byText(src, v)
}

// byText decodes larger numbers, and returns the error for a value that is not a number.
func (p numericPlan) byText(src []byte, into interface{ Scan(src any) error }) error {
	text, err := pgtype.NumericCodec{}.DecodeDatabaseSQLValue(p.m, pgtype.NumericOID, pgtype.BinaryFormatCode, src)
	if err != nil {
		return err
	}
	return into.Scan(text)
}

const (
	// numericHead is the length in bytes of the header before the digits.
	numericHead = 8
	// numericBase is the base of the digits. Each digit has numericPlaces decimal places.
	numericBase, numericPlaces = 10_000, 4
	// mostGroups is the number of these digits that always fit into an int64.
	mostGroups = 4
	// negativeSign is the sign of numbers below zero. The sign of all other numbers is 0.
	negativeSign = 0x4000
)

// smallNumber decodes a number of at most 16 digits, as n units of 10^-decimals. ok is
// false for larger numbers, and for values that are not numbers.
func smallNumber(src []byte) (n int64, decimals int32, ok bool) {
	if len(src) < numericHead {
		return 0, 0, false
	}
	groups, weight := int(binary.BigEndian.Uint16(src)), int(int16(binary.BigEndian.Uint16(src[2:])))
	sign, scale := binary.BigEndian.Uint16(src[4:]), int(binary.BigEndian.Uint16(src[6:]))
	places := numericPlaces * (groups - 1 - weight)
	switch {
	case groups == 0 && sign == 0:
		return 0, 0, true
	case groups == 0, groups > mostGroups, len(src) != numericHead+2*groups, sign != 0 && sign != negativeSign:
		return 0, 0, false
	}
	for at := numericHead; at < len(src); at += 2 {
		n = n*numericBase + int64(binary.BigEndian.Uint16(src[at:]))
	}
	for ; places > scale; places-- {
		n /= 10
	}
	for ; places < scale; places++ {
		if n *= 10; n >= 1e17 {
			return 0, 0, false
		}
	}
	if sign == negativeSign {
		n = -n
	}
	return n, int32(scale), true
}

// momentColumn decodes into time.Time.
type momentColumn struct{ *pgtype.TimestamptzCodec }

// PlanScan implements pgtype.Codec.
func (c momentColumn) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if format == pgtype.BinaryFormatCode {
		switch target.(type) {
		case *time.Time, **time.Time:
			return momentPlan{c.TimestamptzCodec}
		}
	}
	return c.TimestamptzCodec.PlanScan(m, oid, format, target)
}

// momentPlan decodes a time in PostgreSQL's binary format.
type momentPlan struct{ codec *pgtype.TimestamptzCodec }

// Scan implements pgtype.ScanPlan.
func (p momentPlan) Scan(src []byte, into any) error {
	switch v := into.(type) {
	case **time.Time:
		if *v = nil; src == nil {
			return nil
		}
		*v = new(time.Time)
		return p.Scan(src, *v)
	case *time.Time:
		if at, ok := usualMoment(src); ok {
			*v = at
			return nil
		}
	}
	wrapped, inner, _ := pgtype.TryWrapBuiltinTypeScanPlan(into)
	wrapped.SetNext(p.codec.PlanScan(nil, pgtype.TimestamptzOID, pgtype.BinaryFormatCode, inner))
	return wrapped.Scan(src, into)
}

// firstMoment is the Unix time from which PostgreSQL counts microseconds. Times up to
// lastYears before and after it are decoded here.
const (
	firstMoment = 946_684_800
	lastYears   = 200 * 365 * 24 * time.Hour
)

// usualMoment decodes a time within two hundred years of firstMoment. It returns false for
// other times, and for values that are not times.
func usualMoment(src []byte) (time.Time, bool) {
	if len(src) != 8 {
		return time.Time{}, false
	}
	micros := int64(binary.BigEndian.Uint64(src))
	if most := lastYears.Microseconds(); micros > most || micros < -most {
		return time.Time{}, false
	}
	return time.Unix(firstMoment+micros/1e6, micros%1e6*1e3).UTC(), true
}

// textColumn decodes into *string, which is nil for NULL.
type textColumn struct{ pgtype.TextCodec }

// PlanScan implements pgtype.Codec.
func (c textColumn) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, is := target.(**string); is {
		return optionalTextPlan{}
	}
	return c.TextCodec.PlanScan(m, oid, format, target)
}

// optionalTextPlan decodes a text that may be NULL. In both formats a text consists of its
// bytes.
type optionalTextPlan struct{}

// Scan implements pgtype.ScanPlan.
func (optionalTextPlan) Scan(src []byte, into any) error {
	v, _ := into.(**string)
	if *v = nil; src != nil {
		text := string(src)
		*v = &text
	}
	return nil
}

// listColumn decodes empty lists, which are the most frequent, into []string and [][]byte.
type listColumn struct{ pgtype.Codec }

// PlanScan implements pgtype.Codec.
func (c listColumn) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if format == pgtype.BinaryFormatCode {
		switch target.(type) {
		case *[]string, *[][]byte:
			return &listPlan{c.Codec, m, oid}
		}
	}
	return c.Codec.PlanScan(m, oid, format, target)
}

// listPlan decodes a list in PostgreSQL's binary format.
type listPlan struct {
	codec pgtype.Codec
	m     *pgtype.Map
	oid   uint32
}

// Scan implements pgtype.ScanPlan.
func (p *listPlan) Scan(src []byte, into any) error {
	const dimensions = 4 // the first four bytes
	if len(src) >= dimensions && binary.BigEndian.Uint32(src) == 0 {
		switch v := into.(type) {
		case *[]string:
			*v = []string{}
		case *[][]byte:
			*v = [][]byte{}
		}
		return nil
	}
	wrapped, inner, _ := pgtype.TryWrapPtrSliceScanPlan(into)
	wrapped.SetNext(p.codec.PlanScan(p.m, p.oid, pgtype.BinaryFormatCode, inner))
	return wrapped.Scan(src, into)
}
