package swap_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFaultDoesNotStickToItsKey makes the database fail during a creation. No answer is kept for
// the key: the same query creates the trade after the database has recovered.
func TestFaultDoesNotStickToItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	exec := func(sql string) {
		_, err := b.store.Pool().Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	key := with("Idempotency-Key", "once")
	exec("ALTER TABLE addresses RENAME TO addresses_away")
	failed := b.get(t, "new_trade", tradeQuery(), key)
	require.GreaterOrEqual(t, failed.status, http.StatusInternalServerError, "it may be repeated: %s", failed.body)
	exec("ALTER TABLE addresses_away RENAME TO addresses")
	made := b.get(t, "new_trade", tradeQuery(), key)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	require.Equal(t, made.body, b.get(t, "new_trade", tradeQuery(), key).body)
}
