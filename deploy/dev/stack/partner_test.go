package stack

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/provider/adapter"
)

// maxWait is the maximum time for a result on a busy machine.
const maxWait = 8 * time.Minute

func TestMerchantsSwapWithTheStacksOwnExchange(t *testing.T) {
	t.Parallel()
	SkipShort(t)
	ctx := t.Context()
	s, err := Start(ctx, Options{Dir: t.TempDir(), Parts: []string{"merchant-api", "swap-api"}, Private: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	// The exchange quotes after the first scan of both of its wallets, and a failure is cached
	// for a while.
	quoted := func() bool {
		status, quote := quoteOf(t, s)
		return status == http.StatusOK && quote["provider"] == ownExchange
	}
	require.Eventually(t, quoted, maxWait, time.Second)
	require.NoError(t, s.StopPart(ctx, "swap-api"))
	require.NoError(t, s.Kill("merchant-api"))
	require.NoError(t, s.StartPart(ctx, "merchant-api"))
	require.NoError(t, s.WaitReady(ctx, "merchant-api"), "it is ready without its providers")
	status, quote := quoteOf(t, s)
	require.Equal(t, http.StatusInternalServerError, status)
	require.Equal(t, "no swap provider can quote now, try again later", quote["error"])
}

func TestMerchantsArePartnersOfTheStacksExchange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s, err := Open(Options{Dir: t.TempDir(), Parts: []string{"merchant-api", "swap-api"}, Private: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop()) })
	require.NoError(t, s.StartPart(ctx, "postgres"))
	var keys []string
	for range 2 {
		_, err = s.migrateSchema(ctx)
		require.NoError(t, err)
		key, err := os.ReadFile(s.partnerKeyFile())
		require.NoError(t, err)
		keys = append(keys, string(key))
	}
	require.Regexp(t, "^prt_[0-9a-f]{48}$", keys[0])
	require.Equal(t, keys[0], keys[1], "a key for each database, not for each start")
	list, err := adapter.ConfigFile{Path: s.providersFile()}.Providers(config.Outbound{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, ownExchange, list[0].Profile().Name)
	require.Equal(t, s.providersFile(), s.serviceEnv("worker")["MERCHANT_SWAP_PROVIDERS_FILE"])

	merchants, err := Open(Options{Dir: t.TempDir(), Parts: MerchantParts(), Private: true})
	require.NoError(t, err)
	require.NotContains(t, merchants.serviceEnv("merchant-api"), "MERCHANT_SWAP_PROVIDERS_FILE", "without an exchange there are no providers")
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
