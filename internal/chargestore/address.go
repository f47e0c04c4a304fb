package chargestore

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/safemode"
	"github.com/durapay/durapay/internal/simulated"
)

func (s *Charges) simulates(mode config.Mode) bool { return s.Simulated && mode == config.Sandbox }

// needAddress refuses a charge that has no address. A simulated charge gets a wallet, a
// chain and an address of its own. The address is one of the test network, which wallets
// of the main network refuse to pay. Its keys do not exist.
func (s *Charges) needAddress(ctx context.Context, q, later *db.Queries, row *db.InsertChargeParams) error {
	switch {
	case s.simulates(config.Mode(row.Mode)):
		row.WalletID, row.SubaddressIndex = simulated.WalletOf(row.ID), 1
		row.Subaddress = monero.UnspendableAddress(monero.Testnet).String()
		return later.MakeSimulatedAddress(ctx, db.MakeSimulatedAddressParams{
			WalletID: row.WalletID, ChargeID: row.ID, Address: row.Subaddress, Height: simulated.FirstBlocks,
			TopHash: simulated.BlockHash(row.WalletID, simulated.FirstBlocks-1, nil), Now: row.CreatedAt,
		})
	case row.SubaddressIndex != 0:
		return nil
	case row.WalletID == "":
		return refusals.New(refusals.NoAddress, "no wallet of the sandbox is configured, so there is no receiving address")
	default:
		return safemode.NoAddress(ctx, q, row.WalletID, safemode.Refusal(), refusals.New(refusals.NoAddress, "no receiving address is ready"))
	}
}

// otherSandboxWallet returns the wallet of a merchant's charges in mode sandbox if the
// merchant's own wallet is not configured any more, for example after the sandbox got
// another chain. It spreads merchants evenly. So an address of a wallet without a watcher
// is never given out. The result is empty if no wallet is configured.
func (s *Charges) otherSandboxWallet(merchantID string) string {
	if len(s.SandboxWallets) == 0 {
		return ""
	}
	return slices.MinFunc(s.SandboxWallets, func(one, other string) int {
		first, second := sha256.Sum256([]byte(one+merchantID)), sha256.Sum256([]byte(other+merchantID))
		return slices.Compare(first[:], second[:])
	})
}
