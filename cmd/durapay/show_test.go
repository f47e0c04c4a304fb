package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// printed runs durapay admin for people and returns what it printed.
func (i *installation) printed(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"admin"}, args...)...)
	cmd.Env = i.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%v: %s", args, errs.String())
	return out.String()
}

// charge inserts a charge of an order with a payment.
func (i *installation) charge(t *testing.T, order string) string {
	t.Helper()
	id := secret.NewID("ch_")
	for _, sql := range []string{
		`INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency, amount_piconero, confirm_from_piconero,
			confirmations_required, metadata, order_id, created_at, expires_at)
		VALUES ('` + id + `', '` + i.merchant + `', 'live', 'api', 'live', 7, 'address 7', 1.5, 'XMR', 1500000000000, 1500000000000, 10,
			'{"order_id":"` + order + `","secret":"of the shop"}', '` + order + `', '2026-11-30Z', '2026-11-30 01:00Z')`,
		`INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, charge_id, merchant_id, amount, outputs, height, mature_height, first_seen_at)
		VALUES ('live', 'the transaction', 'address 7', 7, '` + id + `', '` + i.merchant + `', 1500000000000, 1, 100, 110, '2026-11-30 00:10Z')`,
	} {
		_, err := i.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	return id
}

// TestAnswersForPeople checks tables, lines and omitted fields.
func TestAnswersForPeople(t *testing.T) {
	t.Parallel()
	i := install(t)
	id := i.charge(t, "1002")
	require.Contains(t, i.printed(t, "find", "1002"), "charge  "+id)
	require.Contains(t, i.printed(t, "find", "nothing"), "none")
	list := i.printed(t, "charges", "list")
	lines := strings.Split(strings.TrimSpace(list), "\n")
	require.Len(t, lines, 2, list)
	require.Regexp(t, `^CHARGE ID +MERCHANT ID +MODE +STATUS`, lines[0])
	require.Regexp(t, `^`+id+` +`+i.merchant+` +live +pending +paid`, lines[1])
	require.NotContains(t, lines[0], "PAYOUT ID", "a column without a value is left out")

	shown := i.printed(t, "charges", "show", id)
	for _, want := range []string{"charge id", "order id", "1002", "the transaction", "timeline\nAT", "2026-11-30 00:10:00", "payment seen"} {
		require.Contains(t, shown, want)
	}
	require.NotContains(t, shown, "of the shop")
	require.Equal(t, id, i.must(t, "charges", "show", id)["charge_id"])
	require.Equal(t, "1002", i.must(t, "charges", "list")["charges"].([]any)[0].(map[string]any)["order_id"])

	require.Contains(t, i.printed(t, "health"), "no backup was recorded")
	require.Contains(t, i.printed(t, "refunds", "list"), "none")
	require.Contains(t, i.printed(t, "merchants", "list"), "shop@example.com")
	require.Contains(t, i.printed(t, "charges", "list", "--limit=1"), "more: --cursor=")
	for _, args := range [][]string{{"charges", "list", "--status=lost"}, {"charges", "show", "ch_x"}, {"find", " "}, {"refunds", "show", "rf_x"}} {
		_, failed := i.run(t, args...)
		require.NotEmpty(t, failed, args)
		require.NotContains(t, failed, "SQLSTATE", args)
	}
}

// TestATerminalActsOnNoTextOfAMerchant shows an order whose characters change colours, turn the direction
// of the text and break the line.
func TestATerminalActsOnNoTextOfAMerchant(t *testing.T) {
	t.Parallel()
	i := install(t)
	const control = "\u009b\u202e\u2066\u2028\u2029"
	id := i.charge(t, "A-1"+control+"\U0001f375")
	people, machines := i.printed(t, "charges", "show", id), i.printed(t, "--json", "charges", "show", id)
	require.Contains(t, people, "A-1     \U0001f375")
	require.Equal(t, "A-1"+control+"\U0001f375", i.must(t, "charges", "show", id)["order_id"])
	for _, text := range []string{people, machines} {
		require.False(t, strings.ContainsAny(text, control), "%q", text)
	}
}

// TestHelpIsInGroups checks that the help of admin fits on a screen and has headings.
func TestHelpIsInGroups(t *testing.T) {
	t.Parallel()
	help := install(t).printed(t, "--help")
	for _, group := range []string{"Look", "Money", "Accounts", "Exchange", "Repair"} {
		require.Contains(t, help, "\n"+group+"\n")
	}
	require.Less(t, strings.Count(help, "\n"), 60)
}
