package pgtest

import (
	"encoding/base64"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
)

// Dump is a copy of the database as a backup has it: every row of every table, with
// binary values in hex. Options are those of pg_dump.
func Dump(tb testing.TB, store *postgres.Store, options ...string) string {
	tb.Helper()
	bin, err := binaries()
	require.NoError(tb, err)
	cmd := exec.CommandContext(tb.Context(), filepath.Join(bin, "pg_dump"), append(options, "--dbname", store.Pool().Config().ConnString())...)
	var errs strings.Builder
	cmd.Stderr = &errs
	dump, err := cmd.Output()
	require.NoError(tb, err, errs.String())
	// pg_dump ends before its session does.
	_, err = store.Pool().Exec(tb.Context(), `SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'pg_dump'`)
	require.NoError(tb, err)
	return string(dump)
}

// Traces are the spellings in which a text stands somewhere: as it is, in hex,
// and in base64 wherever it begins there.
func Traces(where, text string) (found []string) {
	where = strings.ReplaceAll(where, `\\`, `\`)
	spellings := map[string]string{"plain": text, "hex": hex.EncodeToString([]byte(text))}
	for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
		for before := range 3 {
			padded := encoding.EncodeToString([]byte(strings.Repeat("\x00", before) + text))
			first := []int{0, 2, 3}[before]       // the characters before also encode the zero bytes
			whole := (before + len(text)) / 3 * 4 // the characters after may also encode the next bytes
			spellings[name+"+"+string(rune('0'+before))] = padded[first:min(whole, len(padded))]
		}
	}
	for name, spelling := range spellings {
		if spelling != "" && strings.Contains(where, spelling) {
			found = append(found, name)
		}
	}
	return found
}
