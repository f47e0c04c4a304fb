package openapi_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Generators that clients use, at versions known to work.
const (
	goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	tsGenerator = "openapi-typescript@7"
	tsCompiler  = "typescript@5"
)

// useOfGoClient checks that amounts keep their digits in a generated client.
const useOfGoClient = `package client

import "encoding/json"

var _ json.Number = Charge{}.AmountXmr
var _ *json.Number = Charge{}.XmrRate
var _ ClientInterface = &Client{}
`

// useOfGoSwapClient checks that amounts are text and that hashes may be missing.
const useOfGoSwapClient = `package client

var _ string = FoundTrade{}.AmountReceived
var _ *string = FoundTrade{}.PayoutTxHash
var _ ClientInterface = &Client{}
`

// useOfGoGreenfieldClient checks that amounts are text and that times are whole seconds.
const useOfGoGreenfieldClient = `package client

var _ string = InvoiceData{}.Amount
var _ int64 = InvoiceData{}.CreatedTime
var _ *string = Fields{}.Secret
var _ ClientInterface = &Client{}
`

func TestGoClientCompiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fetches a generator")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module client\n\ngo 1.26\n"), 0o600))
	for name, use := range map[string]string{
		"merchant": useOfGoClient, "swap": useOfGoSwapClient, "greenfield": useOfGoGreenfieldClient,
	} {
		spec, err := filepath.Abs(name + "-3.0.yaml")
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "use.go"), []byte(use), 0o600))
		run(t, dir, "go", "run", goGenerator, "-generate", "types,client", "-package", "client", "-o", name+"/client.go", spec)
	}
	run(t, dir, "go", "mod", "tidy")
	run(t, dir, "go", "vet", "./...")
}

// useOfTSClient checks that operations and schemas have their types.
const useOfTSClient = `import type { components, paths } from "./client";
const charge = {} as components["schemas"]["Charge"];
export const amount: number = charge.amount_xmr;
export const confirmed: string | null = charge.confirmed_at;
export type Created = paths["/api/charges"]["post"]["responses"]["200"]["content"]["application/json"];
`

// useOfTSSwapClient does the same for swaps.
const useOfTSSwapClient = `import type { components, paths } from "./client";
const trade = {} as components["schemas"]["FoundTrade"];
export const received: string = trade.amount_received;
export const payout: string | null = trade.payout_tx_hash;
export type Created = paths["/api/v1/new_trade"]["get"]["responses"]["201"]["content"]["application/json"];
`

// useOfTSGreenfieldClient does the same for invoices.
const useOfTSGreenfieldClient = `import type { components, paths } from "./client";
const invoice = {} as components["schemas"]["InvoiceData"];
export const amount: string = invoice.amount;
export const created: number = invoice.createdTime;
export type Created = paths["/api/v1/stores/{storeId}/invoices"]["post"]["responses"]["200"]["content"]["application/json"];
`

func TestTypeScriptClientCompiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fetches a generator")
	}
	if _, err := exec.LookPath("npx"); err != nil {
		t.Skip("npx is not installed")
	}
	dir, commands := t.TempDir(), "set -e"
	for name, use := range map[string]string{
		"merchant": useOfTSClient, "merchant-3.0": useOfTSClient, "swap": useOfTSSwapClient, "swap-3.0": useOfTSSwapClient,
		"greenfield": useOfTSGreenfieldClient, "greenfield-3.0": useOfTSGreenfieldClient,
	} {
		spec, err := filepath.Abs(name + ".yaml")
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "use.ts"), []byte(use), 0o600))
		commands += fmt.Sprintf("; openapi-typescript '%s' -o %s/client.ts", spec, name)
	}
	run(t, dir, "npx", "--yes", "--prefer-offline", "-p", tsGenerator, "-p", tsCompiler, "-c", commands+"; tsc --strict --noEmit */use.ts")
}

func run(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}
