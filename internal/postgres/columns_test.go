package postgres_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
)

// TestColumnsAreReadAsTheyAreWritten reads values that are decoded directly and values
// that are not. It compares the result for rows of queries with the same values read as
// texts.
func TestColumnsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	pool := store.Pool()
	t.Run("numbers", func(t *testing.T) {
		t.Parallel()
		for _, text := range numbers() {
			var is money.Decimal
			var maybe *money.Decimal
			require.NoError(t, pool.QueryRow(t.Context(), "SELECT $1::text::numeric, $1::text::numeric", text).Scan(&is, &maybe), text)
			want, err := money.ParseDecimal(text)
			require.NoError(t, err)
			require.Equal(t, want.String(), is.String(), text)
			require.Equal(t, want.String(), maybe.String(), text)
		}
		for _, text := range []string{"NaN", "Infinity", "-Infinity"} {
			var is money.Decimal
			require.Error(t, pool.QueryRow(t.Context(), "SELECT $1::text::numeric", text).Scan(&is), text)
		}
	})
	t.Run("piconero", func(t *testing.T) {
		t.Parallel()
		for _, n := range []uint64{0, 1, 9999, 10_000, 10_000_000_000, 999_999_999_999_999, 1e16 - 1, 1e16, 1e19, math.MaxInt64, math.MaxUint64} {
			var is money.Piconero
			var maybe *money.Piconero
			text := fmt.Sprint(n)
			require.NoError(t, pool.QueryRow(t.Context(), "SELECT $1::text::piconero, $1::text::piconero", text).Scan(&is, &maybe), text)
			require.Equal(t, money.Piconero(n), is)
			require.Equal(t, money.Piconero(n), *maybe)
		}
		for _, text := range []string{"-1", "0.5", "18446744073709551616", "NaN"} {
			var is money.Piconero
			require.Error(t, pool.QueryRow(t.Context(), "SELECT $1::text::numeric", text).Scan(&is), text)
		}
	})
	t.Run("moments", func(t *testing.T) {
		t.Parallel()
		for _, text := range []string{
			"2026-11-21T09:30:00.123456Z", "2000-01-01T00:00:00Z", "1999-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z",
			"1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
		} {
			want, err := time.Parse(time.RFC3339Nano, text)
			require.NoError(t, err)
			var is time.Time
			var maybe *time.Time
			require.NoError(t, pool.QueryRow(t.Context(), "SELECT $1::text::timestamptz, $1::text::timestamptz", text).Scan(&is, &maybe), text)
			require.Equal(t, want, is, text)
			require.Equal(t, want, *maybe, text)
		}
		var is time.Time
		require.Error(t, pool.QueryRow(t.Context(), "SELECT 'infinity'::timestamptz").Scan(&is))
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		n, p, at, text := new(money.Decimal), new(money.Piconero), new(time.Time), new(string)
		require.NoError(t, pool.QueryRow(t.Context(), "SELECT NULL::numeric, NULL::piconero, NULL::timestamptz, NULL::text").Scan(&n, &p, &at, &text))
		require.Nil(t, n)
		require.Nil(t, p)
		require.Nil(t, at)
		require.Nil(t, text)
		for _, into := range []any{&money.Decimal{}, new(money.Piconero), &time.Time{}} {
			kind := "numeric"
			if _, is := into.(*time.Time); is {
				kind = "timestamptz"
			}
			require.Error(t, pool.QueryRow(t.Context(), "SELECT NULL::"+kind).Scan(into))
		}
	})
	t.Run("texts and lists", func(t *testing.T) {
		t.Parallel()
		var text *string
		var texts, none, missing []string
		var values, empty [][]byte
		missing = []string{"left"}
		require.NoError(t, pool.QueryRow(t.Context(), `SELECT 'ü', ARRAY['a', ''], ARRAY[]::text[], NULL::text[], ARRAY['{"n": 1}']::json[], ARRAY[]::json[]`).
			Scan(&text, &texts, &none, &missing, &values, &empty))
		require.Equal(t, "ü", *text)
		require.Equal(t, []string{"a", ""}, texts)
		require.Equal(t, []string{}, none)
		require.Nil(t, missing)
		require.Equal(t, [][]byte{[]byte(`{"n": 1}`)}, values)
		require.Equal(t, [][]byte{}, empty)
	})
}

// numbers returns numbers on both sides of the limit of direct decoding.
func numbers() []string {
	list := []string{
		"0", "1", "-1", "0.1", "-0.1", "0.00", "100", "100.00", "10000", "10000.0001", "0.0001", "0.00001", "0.000000000000000001", "1.50",
		"9999999999999999", "99999999999999999", "123456789012345678901234567890.5", "0.1234567890123456789", "-12345678.9012345678", "1000000000000000000000",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		whole, part := random.Int64N(int64(math.Pow10(random.IntN(12)+1))), ""
		for range random.IntN(13) {
			part += string(rune('0' + random.IntN(10)))
		}
		list = append(list, strings.TrimSuffix(fmt.Sprintf("%d.%s", whole, part), "."))
	}
	return list
}
