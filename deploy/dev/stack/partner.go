package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/fanout"
)

// ownExchange is the provider name under which merchants of the stack swap with its own
// exchange.
const ownExchange = "durapay"

// providersFile lists the merchants' swap providers: the stack's own exchange.
func (s *Stack) providersFile() string { return s.path("secrets", "merchant-providers.json") }

func (s *Stack) partnerKeyFile() string { return s.path("secrets", "swap-partner-key") }

// becomePartner makes the merchants' side a partner of the stack's exchange, so that
// merchants' quotes do not share the limits of callers without a key. A stack without the
// exchange has no providers.
func (s *Stack) becomePartner(ctx context.Context, b binaries) error {
	if !s.has("swap-api") {
		return nil
	}
	entries, err := json.MarshalIndent([]fanout.ConfigEntry{{
		Name: ownExchange, Kind: "durapay", URL: s.url("swap"), KeyFile: s.partnerKeyFile(),
		Risk: provider.RiskPrecheck, Rating: provider.RatingA,
		Direct: true, Private: true, // its listener is on loopback, its chains are private
	}}, "", "  ")
	return errors.Join(err, writeFile(s.providersFile(), entries), s.makePartnerKey(ctx, b))
}

// makePartnerKey creates the key once per database.
func (s *Stack) makePartnerKey(ctx context.Context, b binaries) error {
	if _, err := os.Stat(s.partnerKeyFile()); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.CommandContext(ctx, b.durapay, "admin", "swap-key", "create", "--class", "partner")
	cmd.Env = command{env: s.serviceEnv("")}.environ()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("durapay admin swap-key create: %w", err)
	}
	var made struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		return fmt.Errorf("durapay admin swap-key create: %w", err)
	}
	return writeFile(s.partnerKeyFile(), []byte(made.Key))
}
