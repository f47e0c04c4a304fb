package stack

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMerchantsSwapWithTheStacksOwnExchange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Start(ctx, Options{Dir: t.TempDir(), Parts: []string{"merchant-api", "swap-api"}, Private: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	// The exchange quotes once it has looked at both of its wallets, and a
	// failure is kept for a while.
	quoted := func() bool {
		status, quote := quoteOf(t, s)
		return status == http.StatusOK && quote["provider"] == ownExchange
	}
	require.Eventually(t, quoted, 2*time.Minute, time.Second)
	key, err := os.ReadFile(s.partnerKeyFile())
	require.NoError(t, err)
	require.Regexp(t, "^prt_[0-9a-f]{48}$", string(key))
	require.NoError(t, s.Up(ctx))
	again, err := os.ReadFile(s.partnerKeyFile())
	require.NoError(t, err)
	require.Equal(t, string(key), string(again), "a key for each database, not for each start")

	require.NoError(t, s.StopPart(ctx, "swap-api"))
	require.NoError(t, s.Kill("merchant-api"))
	require.NoError(t, s.StartPart(ctx, "merchant-api"))
	require.NoError(t, s.WaitReady(ctx, "merchant-api"), "it is ready without its providers")
	status, quote := quoteOf(t, s)
	require.Equal(t, http.StatusInternalServerError, status)
	require.Equal(t, "no swap provider can quote now, try again later", quote["error"])
}

func quoteOf(t *testing.T, s *Stack) (status int, body map[string]any) {
	t.Helper()
	res, err := http.Get(s.url("merchant") + "/api/swap/quote?to=ltc&amount=1.5")
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &body), string(text))
	return res.StatusCode, body
}
