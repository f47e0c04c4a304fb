package operator_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// Rekey must reach the end of a table, however many rows it has, because a value that
// remains under the old key is lost with that key.
func TestRotationContinuesAfterABatch(t *testing.T) {
	t.Parallel()
	r := newRotation(t)
	const rows = 450
	for id := range int64(rows) {
		r.exec(t, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, state, seq, tx_hash, raw, inputs, paid, fee, created_at, built_at,
			abandoned_at, abandoned_by, proof_sealed) VALUES ($1, 'w', 'consolidation', 'abandoned', $1, $3, '', '{}', 1, 0, now(), now(), now(), 'self', $2)`,
			id+1, r.seal(t, "key", secret.ProofPlace(id+1)), strconv.FormatInt(id+1, 10))
	}
	now := r.rotate(t, rows, "every row")
	tx, err := r.store.GetOutgoing(t.Context(), rows)
	require.NoError(t, err)
	now.requireOpens(t, "key", tx.ProofSealed, secret.ProofPlace(rows))
}
