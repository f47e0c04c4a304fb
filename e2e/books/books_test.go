package books_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/books"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/money"
)

func kinds(faults []books.Fault) []books.Kind {
	list := []books.Kind{}
	for _, f := range faults {
		list = append(list, f.Kind)
	}
	return list
}

func TestEventsThatAreMissingOrTooMany(t *testing.T) {
	t.Parallel()
	want := []string{"charge.created", "charge.pending", "charge.confirmed"}
	require.Empty(t, books.Events("ch", want, []string{"charge.confirmed", "charge.created", "charge.pending"}))
	require.Equal(t, []books.Kind{books.EventMissing}, kinds(books.Events("ch", want, want[:2])))
	require.Equal(t, []books.Kind{books.EventTwice}, kinds(books.Events("ch", want, append(want, "charge.pending"))))
	require.Equal(t, []books.Kind{books.EventMissing, books.EventTwice},
		kinds(books.Events("ch", want, []string{"charge.created", "charge.pending", "charge.pending"})))
}

func TestChargeThatReceivedSomethingElse(t *testing.T) {
	t.Parallel()
	c := clients.Charge{ID: "ch", Status: "pending", AmountReceivedXMR: 5}
	require.Empty(t, books.Charge(c, []string{"charge.created"}, 5))
	require.Equal(t, []books.Kind{books.Received}, kinds(books.Charge(c, []string{"charge.created"}, 6)))
	c.Payments = []clients.Payment{{TxHash: "a"}}
	require.Equal(t, []books.Kind{books.EventMissing}, kinds(books.Charge(c, []string{"charge.created"}, 5)))
	c.Status = "confirmed"
	require.Equal(t, []string{"charge.created", "charge.pending", "charge.confirmed"}, books.ChargeEvents(c))
	c.Late = true
	require.Equal(t, []string{"charge.created", "charge.expired", "charge.late_confirmed"}, books.ChargeEvents(c))
}

func TestInvoiceWhosePluginWasNotTold(t *testing.T) {
	t.Parallel()
	c := clients.Charge{ID: "ch", Status: "pending"}
	told := []string{"InvoiceCreated"}
	require.Empty(t, books.Invoice(c, told))
	require.Equal(t, []books.Kind{books.EventMissing}, kinds(books.Invoice(c, nil)))
	c.Status, c.Payments = "confirmed", []clients.Payment{{TxHash: "a"}}
	told = append(told, "InvoiceReceivedPayment", "InvoicePaymentSettled", "InvoiceSettled")
	require.Empty(t, books.Invoice(c, told))
	require.Empty(t, books.Invoice(c, append(told, "InvoiceProcessing")))
	require.Equal(t, []books.Kind{books.EventTwice}, kinds(books.Invoice(c, append(told, "InvoiceSettled"))))
	require.Equal(t, []books.Kind{books.EventMissing}, kinds(books.Invoice(c, told[:3])))
}

func TestPayoutsBesideTheChain(t *testing.T) {
	t.Parallel()
	hash, swap := "aa", "sw"
	sent := []clients.Payout{{PayoutID: "po", Status: "confirmed", TxHash: &hash, AmountXMR: 7}}
	arrived := []regtest.Receipt{{TxHash: "aa", Amount: 7}}
	require.Empty(t, books.PaidOutTo(sent, arrived))
	require.Len(t, books.PaidOutTo(sent, nil), 1, "it never arrived")
	require.Len(t, books.PaidOutTo(nil, arrived), 1, "nobody knows it")
	require.Len(t, books.PaidOutTo(sent, []regtest.Receipt{{TxHash: "aa", Amount: 6}}), 1, "another amount")
	sent[0].SwapID = &swap
	require.Empty(t, books.PaidOutTo(sent, nil), "it went to a provider")
	require.Equal(t, []books.Kind{books.PaidOut}, kinds(books.Payout(clients.Payout{Status: "building"}, nil, false)))
	require.Equal(t, []books.Kind{books.EventMissing}, kinds(books.Payout(sent[0], nil, false)))
	require.Equal(t, []books.Kind{books.EventTwice}, kinds(books.Payout(clients.Payout{Status: "failed"}, []string{"payout.sent"}, false)))
	require.Empty(t, books.Payout(clients.Payout{Status: "failed"}, []string{"payout.sent"}, true))
}

func TestTradesBesideTheChain(t *testing.T) {
	t.Parallel()
	one, two, hash, height := money.MustDecimal("1"), money.MustDecimal("2"), "pay", int64(9)
	good := func() (books.Trade, books.Seen) {
		return books.Trade{
				ID:       "tr",
				Deposits: []books.Deposit{{TxHash: "dep", Amount: one, Height: &height}},
				Payments: []books.TradePayment{{Kind: "payout", State: "confirmed", TxHash: &hash, Paid: &two, Fee: &one}},
			}, books.Seen{
				Amount: one, Deposit: "dep", Height: 9, Pays: two, Paid: map[string]money.Decimal{"pay": two},
			}
	}
	made, seen := good()
	require.Empty(t, made.Settled(seen))
	for name, c := range map[string]struct {
		spoil func(*books.Trade, *books.Seen)
		want  books.Kind
	}{
		"deposit in another block":  {func(_ *books.Trade, s *books.Seen) { s.Height = 10 }, books.TradeBesideChain},
		"deposit of another amount": {func(_ *books.Trade, s *books.Seen) { s.Amount = two }, books.TradeBesideChain},
		"deposit in no block":       {func(b *books.Trade, _ *books.Seen) { b.Deposits[0].Height = nil }, books.TradeBesideChain},
		"two deposits":              {func(b *books.Trade, _ *books.Seen) { b.Deposits = append(b.Deposits, b.Deposits[0]) }, books.TradeBesideChain},
		"two transactions planned":  {func(b *books.Trade, _ *books.Seen) { b.Payments = append(b.Payments, b.Payments[0]) }, books.TradePaidTwice},
		"paid out and sent back":    {func(_ *books.Trade, s *books.Seen) { s.Back = map[string]money.Decimal{"back": one} }, books.TradePaidTwice},
		"nothing arrived":           {func(_ *books.Trade, s *books.Seen) { s.Paid = nil }, books.TradeUnpaid},
		"a refund":                  {func(b *books.Trade, _ *books.Seen) { b.Payments[0].Kind = "refund" }, books.TradeUnpaid},
		"not confirmed":             {func(b *books.Trade, _ *books.Seen) { b.Payments[0].State = "sent" }, books.TradeUnpaid},
		"another rate":              {func(_ *books.Trade, s *books.Seen) { s.Pays = one }, books.TradeBesideChain},
	} {
		made, seen := good()
		c.spoil(&made, &seen)
		require.Equal(t, []books.Kind{c.want}, kinds(made.Settled(seen)), name)
	}
}

func TestRefundsBesideTheChain(t *testing.T) {
	t.Parallel()
	three, two, one, hash, height := money.MustDecimal("3"), money.MustDecimal("2"), money.MustDecimal("1"), "back", int64(9)
	good := func() (books.Trade, books.Seen) {
		return books.Trade{
				ID:       "tr",
				Deposits: []books.Deposit{{TxHash: "dep", Amount: three, Height: &height}},
				Payments: []books.TradePayment{{Kind: "refund", State: "confirmed", TxHash: &hash, Paid: &two, Fee: &one}},
			}, books.Seen{
				Amount: three, Deposit: "dep", Height: 9, Back: map[string]money.Decimal{"back": two},
			}
	}
	made, seen := good()
	require.Empty(t, made.SentBack(seen))
	require.Equal(t, []books.Kind{books.TradeBesideChain}, kinds(made.Untouched(seen)))
	require.Empty(t, books.Trade{ID: "tr"}.Untouched(books.Seen{Amount: three}))
	for name, c := range map[string]struct {
		spoil func(*books.Trade, *books.Seen)
		want  books.Kind
	}{
		"deposit in another block": {func(_ *books.Trade, s *books.Seen) { s.Height = 10 }, books.TradeBesideChain},
		"sent back twice":          {func(_ *books.Trade, s *books.Seen) { s.Back["more"] = one }, books.TradePaidTwice},
		"paid out and sent back":   {func(_ *books.Trade, s *books.Seen) { s.Paid = map[string]money.Decimal{"pay": one} }, books.TradePaidTwice},
		"two transactions planned": {func(b *books.Trade, _ *books.Seen) { b.Payments = append(b.Payments, b.Payments[0]) }, books.TradePaidTwice},
		"nothing came back":        {func(_ *books.Trade, s *books.Seen) { s.Back = nil }, books.TradeUnpaid},
		"a payout":                 {func(b *books.Trade, _ *books.Seen) { b.Payments[0].Kind = "payout" }, books.TradeUnpaid},
		"not confirmed":            {func(b *books.Trade, _ *books.Seen) { b.Payments[0].State = "sent" }, books.TradeUnpaid},
		"less than the deposit":    {func(b *books.Trade, _ *books.Seen) { b.Payments[0].Fee = &two }, books.TradeBesideChain},
		"another amount arrived":   {func(_ *books.Trade, s *books.Seen) { s.Back["back"] = one }, books.TradeBesideChain},
	} {
		made, seen := good()
		c.spoil(&made, &seen)
		require.Equal(t, []books.Kind{c.want}, kinds(made.SentBack(seen)), name)
	}
}
