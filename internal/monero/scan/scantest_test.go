package scan

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero/scan/scantest"
	"github.com/durapay/durapay/internal/money"
)

// TestPaymentsOfOtherTests makes the payments that tests of other packages use.
func TestPaymentsOfOtherTests(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	sub, one, two := w.address(t, 0, 5), numbered("one"), numbered("two")
	const amount = uint64(money.OneXMR) / 100
	inJSON := func(m *made) scantest.Payment {
		key := one
		if len(m.proofs) == 1 {
			key = two
		}
		return scantest.Payment{Hash: m.parse(t).Hash.String(), Key: hexOf(key), Pruned: hex.EncodeToString(m.pruned()), PrunableHash: hashOf(m.proofs).String()}
	}
	locked, again, sameKey := payment(one, amount, sub), payment(two, amount, sub), payment(one, amount, sub)
	locked.unlock, again.proofs = 5000, []byte{2}
	sameKey.extra = slices.Concat(sameKey.extra, []byte{extraNonce, 1, 7})
	made, err := json.MarshalIndent(scantest.Payments{
		Address: sub.String(), Paid: inJSON(payment(one, amount, sub)), Again: inJSON(again), Both: inJSON(payment(one, amount, sub, sub)),
		Less: inJSON(payment(one, amount*9/10, sub)), Locked: inJSON(locked), Elsewhere: inJSON(payment(one, amount, w.address(t, 0, 0))), SameKey: inJSON(sameKey),
	}, "", "  ")
	require.NoError(t, err)
	require.JSONEq(t, string(made), string(scantest.File))
}
