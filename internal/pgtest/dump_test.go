package pgtest_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

func TestTracesAreFoundInEverySpelling(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	const text = "what nobody is to read"
	require.Empty(t, pgtest.Traces(pgtest.Dump(t, store), text))
	_, err := store.Pool().Exec(t.Context(), "CREATE TABLE kept (text text, bytes bytea)")
	require.NoError(t, err)
	for want, kept := range map[string]any{"plain": `{"note":"` + text + `"}`, "hex": []byte("x" + text + "x")} {
		_, err = store.Pool().Exec(t.Context(), "TRUNCATE kept")
		require.NoError(t, err)
		column := map[string]string{"plain": "text", "hex": "bytes"}[want]
		_, err = store.Pool().Exec(t.Context(), "INSERT INTO kept ("+column+") VALUES ($1)", kept)
		require.NoError(t, err)
		require.Equal(t, []string{want}, pgtest.Traces(pgtest.Dump(t, store), text))
	}
	for _, before := range []string{"", "a", "ab", "abc", "abcd"} {
		for _, after := range []string{"", "a", "ab", "abc"} {
			require.NotEmpty(t, pgtest.Traces(base64.StdEncoding.EncodeToString([]byte(before+text+after)), text), "%q %q", before, after)
		}
	}
	require.Empty(t, pgtest.Traces(base64.StdEncoding.EncodeToString([]byte("what nobody is to write")), text))
}
