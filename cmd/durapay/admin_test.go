package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// asCommand makes the test binary act as the command.
const asCommand = "DURAPAY_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// installation is a database with one merchant, and the environment of the command.
type installation struct {
	env      []string
	store    *postgres.Store
	box      *secret.Box
	merchant string
}

const email = "shop@example.com"

func install(t *testing.T) *installation {
	t.Helper()
	dir, url := t.TempDir(), pgtest.NewURL(t)
	require.NoError(t, (&keygenCmd{Dir: dir}).Run())
	i := &installation{merchant: secret.NewMerchantID(), env: append(os.Environ(), asCommand+"=1", "DATABASE_URL="+url,
		"KEYS_DIR="+dir, "FEE_RATE=0.01")}
	var err error
	i.store, err = postgres.Open(t.Context(), url, 2, postgres.ByHand)
	require.NoError(t, err)
	t.Cleanup(i.store.Close)
	i.box, err = secret.OpenFolder(dir, secret.KindsOf(secret.Admin)...)
	require.NoError(t, err)
	index, err := secret.OpenBlindIndex(secret.Accounts.BlindIndexFile(dir))
	require.NoError(t, err)
	sealed, err := i.box.Seal([]byte(email), secret.AD{Table: "merchants", Column: "email", ID: i.merchant})
	require.NoError(t, err)
	for _, mode := range []string{"live", "sandbox"} {
		require.NoError(t, i.store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: mode, ChainID: "xmr-" + mode, Mode: mode, PrimaryAddress: "primary of " + mode}))
	}
	_, err = i.store.InsertMerchant(t.Context(), db.InsertMerchantParams{
		MerchantID: i.merchant, EmailSealed: sealed, EmailIndex: index.Email(email), BusinessName: "Shop", PasswordHash: "x",
		LiveWalletID: "live", SandboxWalletID: "sandbox",
	})
	require.NoError(t, err)
	return i
}

// run runs durapay admin and returns what it printed.
func (i *installation) run(t *testing.T, args ...string) (printed map[string]any, failed string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"admin", "--json"}, args...)...)
	cmd.Env = i.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, errs.String()
	}
	dec := json.NewDecoder(&out)
	dec.UseNumber()
	require.NoError(t, dec.Decode(&printed))
	return printed, ""
}

// must is run for a command that must succeed.
func (i *installation) must(t *testing.T, args ...string) map[string]any {
	t.Helper()
	printed, failed := i.run(t, args...)
	require.Empty(t, failed, args)
	return printed
}

func TestAdminCommands(t *testing.T) {
	t.Parallel()
	i := install(t)
	require.Equal(t, true, i.must(t, "--as=alice", "grant", " Shop@Example.com ")["admin"])
	require.Equal(t, false, i.must(t, "revoke", email)["admin"])
	require.NotNil(t, i.must(t, "merchants", "suspend", i.merchant)["suspended_at"])
	require.Nil(t, i.must(t, "merchants", "unsuspend", i.merchant)["suspended_at"])
	_, err := i.store.Pool().Exec(t.Context(), "UPDATE merchants SET totp_secret_sealed = '\\x00', totp_enabled_at = now()")
	require.NoError(t, err)
	for range 2 {
		i.must(t, "merchants", "reset-2fa", i.merchant)
	}
	m, err := i.store.GetMerchant(t.Context(), i.merchant)
	require.NoError(t, err)
	require.Nil(t, m.TotpEnabledAt)
	require.EqualValues(t, 2, m.TokenVersion, "every session ended, once")
	set := i.must(t, "merchants", "terms", i.merchant, "--fee-rate=0.004", "--confirmations=3", "--tolerance=0.5")
	require.Equal(t, json.Number("0.004"), set["own_fee_rate"])
	set = i.must(t, "merchants", "terms", i.merchant, "--confirmations=default", "--fee-rate=default")
	require.Nil(t, set["confirmations_required"])
	require.Equal(t, json.Number("0.01"), set["fee_rate"])
	require.Equal(t, json.Number("0.5"), set["tolerance_percent"])
	require.Len(t, i.must(t, "merchants", "list")["merchants"], 1)
	require.Len(t, i.must(t, "fees", "set", "100:0.004", "1.5:0.008")["tiers"], 2)
	require.Len(t, i.must(t, "fees", "list")["tiers"], 2)
	require.Empty(t, i.must(t, "fees", "set")["tiers"])
	require.Len(t, i.must(t, "payments", "stuck")["wallets"], 2)
	require.NoError(t, i.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: "live", TxHash: "tx", SubaddressIndex: 7, Amount: 1, Outputs: 1,
	}))
	require.NoError(t, i.store.OpenAlert(t.Context(), db.OpenAlertParams{Kind: "address_mismatch", Subject: "live", Detail: "index 7"}))
	require.Len(t, i.must(t, "payments", "unmatched")["payments"], 1)
	i.must(t, "payments", "resolve", "1", "Paid back")
	require.Empty(t, i.must(t, "payments", "unmatched")["payments"])
	require.Len(t, i.must(t, "payments", "unmatched", "--resolved")["payments"], 1)
	require.Len(t, i.must(t, "alerts", "list")["alerts"], 1)
	require.Equal(t, "Repaired", i.must(t, "alerts", "resolve", "1", "Repaired")["note"])
	require.Len(t, i.must(t, "alerts", "list", "--resolved")["alerts"], 1)
	require.Empty(t, i.must(t, "deliveries", "list")["deliveries"])
	require.Empty(t, i.must(t, "payouts", "list")["payouts"])
	require.Empty(t, i.must(t, "payouts", "list", "--status=building")["payouts"])

	changes := i.must(t, "audit", "--limit=200")["changes"].([]any)
	var actions []string
	for _, c := range changes {
		change := c.(map[string]any)
		actions = append(actions, change["action"].(string))
		require.True(t, strings.HasPrefix(change["actor"].(string), "cli:"))
	}
	require.Equal(t, []string{
		"alert.resolve", "payment.resolve", "fees.tiers", "fees.tiers", "merchant.terms", "merchant.terms", "merchant.reset-2fa",
		"merchant.unsuspend", "merchant.suspend", "merchant.admin", "merchant.admin",
	}, actions)
	require.Equal(t, "cli:alice", changes[len(changes)-1].(map[string]any)["actor"])
}

// TestHoldCommand checks that a hold can be lengthened but not shortened, in any format of its
// end.
func TestHoldCommand(t *testing.T) {
	t.Parallel()
	i := install(t)
	in := func(days int) time.Time { return time.Now().UTC().AddDate(0, 0, days).Truncate(24 * time.Hour) }
	hold := func(until string) string {
		return i.must(t, "merchants", "hold", i.merchant, until)["payout_hold_until"].(string)
	}
	week := in(7).Format("2006-01-02T15:04:05.000Z")
	for range 2 {
		require.Equal(t, week, hold(in(7).Format(time.DateOnly)))
	}
	require.Equal(t, week, hold(in(2).Format(time.RFC3339)))
	later := in(8).Add(90 * time.Minute)
	require.Equal(t, later.Format("2006-01-02T15:04:05.000Z"), hold(later.In(time.FixedZone("", 2*3600)).Format(time.RFC3339)))
	for _, wrong := range []string{"tomorrow", "2001-01-01", in(32).Format(time.DateOnly), "2026-13-01", later.Format("2006-01-02T15:04:05")} {
		_, failed := i.run(t, "merchants", "hold", i.merchant, wrong)
		require.NotEmpty(t, failed, wrong)
	}
	_, failed := i.run(t, "merchants", "hold", strings.Repeat("0", 32), in(7).Format(time.DateOnly))
	require.NotEmpty(t, failed)
	var holds int
	for _, c := range i.must(t, "audit", "--limit=200")["changes"].([]any) {
		if c.(map[string]any)["action"] == "merchant.hold" {
			holds++
		}
	}
	require.Equal(t, 2, holds, "what changes nothing is not in the audit")
}

// TestInviteCommands checks that an invite is shown once, and listed without its secret.
func TestInviteCommands(t *testing.T) {
	t.Parallel()
	i := install(t)
	made := i.must(t, "invite", "create", "--for=24h", "--note=tea shop")
	require.Regexp(t, `^inv_[0-9a-f]{48}$`, made["invite"])
	listed := i.must(t, "invite", "list")["invites"].([]any)
	require.Len(t, listed, 1)
	require.Equal(t, "tea shop", listed[0].(map[string]any)["note"])
	require.NotContains(t, listed[0], "invite")
	require.Empty(t, i.must(t, "invite", "revoke", made["id"].(string))["invites"])
	for _, args := range [][]string{{"invite", "revoke", made["id"].(string)}, {"invite", "create", "--for=0s"}, {"invite", "create", "--for=x"}} {
		_, failed := i.run(t, args...)
		require.NotEmpty(t, failed, args)
	}
	require.Equal(t, json.Number("7"), i.must(t, "merchants", "terms", i.merchant, "--pending=7")["pending_charges_max"])
	require.Nil(t, i.must(t, "merchants", "terms", i.merchant, "--pending=default")["pending_charges_max"])
	for _, most := range []string{"0", "10000001", "x"} {
		_, failed := i.run(t, "merchants", "terms", i.merchant, "--pending="+most)
		require.NotEmpty(t, failed, most)
	}
}

func TestAdminCommandsThatAreRefused(t *testing.T) {
	t.Parallel()
	i := install(t)
	for _, args := range [][]string{
		{"grant", "nobody@example.com"}, {"revoke", "x"}, {"merchants", "suspend", "x"}, {"merchants", "unsuspend", strings.Repeat("0", 32)},
		{"merchants", "reset-2fa", "x"}, {"merchants", "reset-2fa", strings.Repeat("0", 32)},
		{"merchants", "terms", i.merchant, "--fee-rate=1"}, {"merchants", "terms", i.merchant, "--fee-rate=x"},
		{"merchants", "terms", i.merchant, "--confirmations=0"}, {"merchants", "terms", i.merchant, "--confirmations=1.5"},
		{"merchants", "terms", i.merchant, "--tolerance=101"}, {"merchants", "terms", strings.Repeat("0", 32), "--tolerance=1"},
		{"fees", "set", "100"}, {"fees", "set", "0:0.1"}, {"fees", "set", "1:0.1", "1:0.2"}, {"payments", "resolve", "9", "x"},
		{"payments", "resolve", "1", ""}, {"alerts", "resolve", "9", "x"}, {"deliveries", "redeliver", "whd_x"},
		{"payouts", "list", "--status=lost"}, {"payouts", "show", "po_x"}, {"payouts", "retry", "po_x"}, {"payouts", "release", "po_x"},
	} {
		_, failed := i.run(t, args...)
		require.NotEmpty(t, failed, args)
		require.NotContains(t, failed, "SQLSTATE", args)
	}
	require.Empty(t, i.must(t, "audit")["changes"])
}

// TestEachAdminCommandRuns checks that a command has a Run or is in a table.
func TestEachAdminCommandRuns(t *testing.T) {
	t.Parallel()
	var commands cli
	parser, err := kong.New(&commands, kong.Name("durapay"))
	require.NoError(t, err)
	listed := slices.Concat(slices.Collect(maps.Keys(commands.Admin.works(t.Context()))), slices.Collect(maps.Keys(commands.Admin.asks(t.Context()))), slices.Collect(maps.Keys(commands.Admin.answers(t.Context()))))
	found := map[string]bool{}
	for _, leaf := range parser.Model.Leaves(false) {
		name, admin := strings.CutPrefix(leaf.FullPath(), "durapay admin ")
		_, runs := leaf.Target.Addr().Type().MethodByName("Run")
		found[name] = true
		require.True(t, !admin || runs != slices.Contains(listed, name), name)
	}
	for _, name := range listed {
		require.True(t, found[name], name)
	}
}
