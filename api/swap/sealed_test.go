package swap_test

import (
	"crypto/sha256"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
)

// withMemos gives both coins memos, which no coin of the register has.
func withMemos(d *swap.Deps) {
	for i := range d.Quoter.Pairs {
		d.Quoter.Pairs[i].From.Memo, d.Quoter.Pairs[i].To.Memo = true, true
	}
}

// TestACopyOfTheDatabaseNamesNoCustomer creates trades with every field set, filled by the
// exchange and by another provider. It checks that the values given and answered appear in no
// table, and not in Temporal's data.
func TestACopyOfTheDatabaseNamesNoCustomer(t *testing.T) {
	t.Parallel()
	other := &supplier{quotes: "2.99", pays: "2.99", deposit: providertest.Deposit, memo: "memo-of-the-deposit"}
	b := setupWithTemporal(t, withFanout(other.open(t, "other")), withMemos)
	apiKey := b.key(t, "partner")
	given := map[string]string{
		"extra_id": "tag-of-the-payee", "refund_memo": "memo-of-the-refund", "note": "a note to nobody else",
		"webhook_url": "https://partner.example/hooks/whom-it-concerns",
	}
	secrets := map[string]string{"address": litecoin, "refund": monero, "API key": apiKey, "deposit memo": other.memo}
	query := tradeQuery()
	for name, value := range given {
		query.Set(name, value)
		secrets[name] = value
	}
	var ids, guesses []string
	for _, provider := range []string{"durapay", "other"} {
		query.Set("provider", provider)
		secrets["key of "+provider] = "idempotency key for " + provider
		a := b.get(t, "new_trade", query, with("API-Key", apiKey), with("Idempotency-Key", secrets["key of "+provider]))
		require.Equal(t, http.StatusCreated, a.status, a.body)
		guesses = append(guesses, query.Encode(), secrets["key of "+provider])
		id := a.object(t)["trade_id"].(string)
		ids, secrets["password of "+provider] = append(ids, id), a.object(t)["password"].(string)
		for _, shown := range []string{litecoin, monero, given["note"], secrets["password of "+provider]} {
			require.Contains(t, b.get(t, "trade", url.Values{"id": {id}}).body, shown)
		}
		row, err := b.store.GetTrade(t.Context(), id)
		require.NoError(t, err)
		d := b.details(t, row)
		require.Equal(t, []string{given["extra_id"], given["refund_memo"], given["webhook_url"]}, []string{*d.ExtraID, *d.RefundMemo, *d.WebhookURL})
		require.True(t, row.HasWebhook)
	}
	guesses = append(guesses, tradeQuery("address_memo", "tag-of-another-payee", "refund_memo", given["refund_memo"]).Encode())
	a := b.call(t, http.MethodGet, "/api/new_trade?"+guesses[len(guesses)-1])
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Contains(t, a.body, "tag-of-another-payee")
	secrets["tag of the dialect"], secrets["password of the dialect"] = "tag-of-another-payee", a.object(t)["password"].(string)
	ids = append(ids, a.object(t)["trade_id"].(string))

	dump := pgtest.Dump(t, b.store)
	for _, id := range ids {
		require.NotEmpty(t, pgtest.Traces(dump, id), "the rows are in the copy")
	}
	for name, text := range secrets {
		require.Empty(t, pgtest.Traces(dump, text), "%s stands in the database", name)
	}
	for _, guess := range guesses {
		hash := sha256.Sum256([]byte(guess))
		require.Empty(t, pgtest.Traces(dump, string(hash[:])), "whoever guesses %s can check it", guess)
	}
	b.followed(t)
	for _, id := range ids {
		kept := keptByTemporal(t, b.temporal, workflows.TradeWorkflowID(id))
		require.NotEmpty(t, pgtest.Traces(kept, id))
		for name, text := range secrets {
			require.Empty(t, pgtest.Traces(kept, text), "%s stands in Temporal", name)
		}
	}
}

// keptByTemporal returns everything that Temporal shows of a workflow: its history, search
// attributes and memo.
func keptByTemporal(t *testing.T, temporal client.Client, id string) string {
	t.Helper()
	described, err := temporal.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	require.Empty(t, described.GetWorkflowExecutionInfo().GetMemo().GetFields())
	require.NotEmpty(t, described.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields())
	var all strings.Builder
	all.WriteString(protojson.Format(described))
	events := temporal.GetWorkflowHistory(t.Context(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		require.NoError(t, err)
		all.WriteString(protojson.Format(e))
	}
	return all.String()
}

// TestDetailsOpenAtTheirTradeAlone moves the sealed details of one trade to another. No client
// may see, or be paid at, an address that belongs to another trade.
func TestDetailsOpenAtTheirTradeAlone(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	var ids []string
	for _, key := range []string{"one", "two"} {
		ids = append(ids, b.get(t, "new_trade", tradeQuery(), with("Idempotency-Key", key)).object(t)["trade_id"].(string))
	}
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE trades SET details_sealed = (SELECT o.details_sealed FROM trades o WHERE o.id = $2) WHERE id = $1", ids[0], ids[1])
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, b.get(t, "trade", url.Values{"id": {ids[0]}}).status)
	require.Equal(t, http.StatusOK, b.get(t, "trade", url.Values{"id": {ids[1]}}).status)
	row, err := b.store.GetTrade(t.Context(), ids[0])
	require.NoError(t, err)
	_, err = b.box.Unseal(row.DetailsSealed, secret.AD{Table: "trades", Column: "details", ID: ids[0]})
	require.ErrorIs(t, err, secret.ErrUnseal)
}
