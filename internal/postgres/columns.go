package postgres

import (
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/durapay/durapay/internal/money"
)

// readDirectly makes a connection decode amounts directly into the types of the rows, and
// moments in UTC. By default pgx would convert numbers to texts that are then parsed.
// Unusual numbers are still left to pgx.
func readDirectly(m *pgtype.Map) {
	m.RegisterType(&pgtype.Type{Name: "numeric", OID: pgtype.NumericOID, Codec: numericColumn{}})
	m.RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
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
