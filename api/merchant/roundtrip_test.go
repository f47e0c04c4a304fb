package merchant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	_ "github.com/durapay/durapay/tools/testseed"
)

// roundTrips is how many random values are sent. Each takes an address.
const roundTrips = 25

// amounts generates numbers that the contract allows, in the forms in which clients may write
// them.
func amounts(currency money.Currency) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		whole := rapid.OneOf(rapid.Just("0"), rapid.StringMatching(`[1-9][0-9]{0,6}`)).Draw(t, "whole")
		fraction := rapid.StringMatching(fmt.Sprintf(`[0-9]{0,%d}`, currency.Decimals())).Draw(t, "fraction")
		text := whole
		if fraction != "" {
			text += "." + fraction
		}
		text += rapid.SampledFrom([]string{"", "", "e0", "E+0", "e-0"}).Draw(t, "exponent")
		if money.CheckAmount(money.MustDecimal(text), currency) != nil {
			return "0.01"
		}
		return text
	})
}

// values generates JSON values of any shape, with exact digits in numbers.
func values(depth int) *rapid.Generator[string] {
	leaf := rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`),
		rapid.SampledFrom([]string{"null", "true", "false", `""`, `"\u0000"`, `"\ud83d\ude00"`, `"</script>"`, `"é&<>"`, `"\\\"\/"`}),
		rapid.Custom(func(t *rapid.T) string { return quoted(rapid.String().Draw(t, "text")) }),
	)
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf, rapid.Custom(func(t *rapid.T) string {
		return "[" + strings.Join(rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "items"), ",") + "]"
	}), rapid.Custom(func(t *rapid.T) string { return object(t, depth-1) }))
}

func object(t *rapid.T, depth int) string {
	names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,6}[0-9]`), 0, 4, rapid.ID).Draw(t, "names")
	members := make([]string, len(names))
	for i, name := range names {
		members[i] = quoted(name) + ":" + values(depth).Draw(t, "value")
	}
	return "{" + strings.Join(members, ",") + "}"
}

func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// raw returns the members of an object as they were written.
func raw(t require.TestingT, text string) map[string]json.RawMessage {
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &members))
	return members
}

// testRoundTrip checks that amounts and metadata come back digit for digit, in the answer, in a
// later read and in the list.
func testRoundTrip(t *testing.T, b *bench) {
	s := b.signup(t)
	made := 0
	rapid.Check(t, func(rt *rapid.T) {
		if made++; made > roundTrips {
			return
		}
		currency := rapid.SampledFrom([]money.Currency{money.USD, money.EUR, money.XMR}).Draw(rt, "currency")
		amount, metadata := amounts(currency).Draw(rt, "amount"), object(rt, 2)
		body := fmt.Sprintf(`{"amount":%s,"currency":%q,"metadata":%s}`, amount, currency, metadata)
		a := b.send(t, http.MethodPost, "/api/charges", key(s.live), body).require(t, http.StatusOK, body)
		again := b.send(t, http.MethodGet, "/api/charges/"+a.text(t, "id"), key(s.live), "").require(t, http.StatusOK)
		require.Equal(rt, a.body, again.body)
		require.Contains(rt, b.send(t, http.MethodGet, "/api/charges", key(s.live), "").body, strings.TrimSpace(a.body))

		got := raw(rt, a.body)
		require.Equal(rt, money.MustDecimal(amount).String(), string(got["amount"]))
		require.Equal(rt, metadata, string(got["metadata"]), "metadata is echoed byte for byte")
		if currency == money.XMR {
			require.Equal(rt, money.MustDecimal(amount).String(), string(got["amount_xmr"]))
		}
	})
	require.GreaterOrEqual(t, made, roundTrips)
}

func TestPaymentRequestAmountsComeBackDigitForDigit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	rapid.Check(t, func(rt *rapid.T) {
		currency := rapid.SampledFrom([]money.Currency{money.USD, money.EUR, money.XMR}).Draw(rt, "currency")
		amount := amounts(currency).Draw(rt, "amount")
		body := fmt.Sprintf(`{"amount":%s,"currency":%q}`, amount, currency)
		a := b.send(t, http.MethodPost, "/api/payment-requests", key(s.live), body).require(t, http.StatusOK, body)
		require.Equal(rt, money.MustDecimal(amount).String(), string(raw(rt, a.body)["amount"]))
		public := b.publicRequest(t, a.text(t, "id")).require(t, http.StatusOK)
		require.Equal(rt, money.MustDecimal(amount).String(), string(raw(rt, public.body)["amount"]))
	})
}

func TestAmountsBeyondTheLimitsAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	before := b.digest(t)
	rapid.Check(t, func(rt *rapid.T) {
		currency := rapid.SampledFrom([]money.Currency{money.USD, money.EUR, money.XMR}).Draw(rt, "currency")
		amount := rapid.OneOf(
			rapid.StringMatching(`-(0|[1-9][0-9]{0,8})(\.[0-9]{1,13})?`), rapid.StringMatching(`0\.00[0-9]{0,10}`),
			rapid.StringMatching(`1000000[1-9]`), rapid.StringMatching(`10000000\.[0-9]{0,11}[1-9]`), rapid.StringMatching(`[1-9][0-9]{8,40}`),
			rapid.StringMatching(fmt.Sprintf(`[1-9]\.[0-9]{%d}[1-9]`, currency.Decimals())), rapid.StringMatching(`[1-9]e-([3-9]|[1-9][0-9])`), rapid.StringMatching(`[1-9]e([8-9]|[1-9][0-9]{1,3})`),
			rapid.StringMatching(`0[0-9]`), rapid.StringMatching(`\.[0-9]`), rapid.StringMatching(`[0-9]\.`), rapid.StringMatching(`"[0-9]"`), rapid.StringMatching(`0x[0-9a-f]`),
		).Draw(rt, "amount")
		if currency == money.XMR && strings.HasPrefix(amount, "0.00") {
			return // a small amount of XMR
		}
		for path, who := range map[string]as{"/api/charges": key(s.live), "/api/payment-requests": key(s.live), "/api/charges/button": anonymous()} {
			body := fmt.Sprintf(`{"merchant_id":%q,"amount":%s,"currency":%q}`, s.id, amount, currency)
			b.send(t, http.MethodPost, path, who, body).require(t, http.StatusBadRequest, body)
		}
	})
	require.Equal(t, before, b.digest(t))
}
