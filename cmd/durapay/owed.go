package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// owedCmd helps with the alert owed_to_deleted_account.
type owedCmd struct {
	Charge string `arg:"" help:"Identifier of the charge, as the notice names it."`
}

// print prints the payout address of the charge's former merchant and the received amount that
// was not paid out.
func (c *owedCmd) print(ctx context.Context, cfg config.Config, store *postgres.Store) error {
	box, err := openBox(cfg.Keys, secret.Admin)
	if err != nil {
		return err
	}
	owed, address, err := owedFor(ctx, store, box, c.Charge)
	if err == nil {
		fmt.Printf("owed:    %s XMR\naddress: %s\n", owed, address)
	}
	return err
}

// owedFor returns the received amount of a charge that was not paid out, and the payout
// address of its former merchant.
func owedFor(ctx context.Context, store *postgres.Store, box *secret.Box, chargeID string) (money.Piconero, string, error) {
	charge, err := store.GetCharge(ctx, chargeID)
	if err != nil {
		return 0, "", fmt.Errorf("charge %s: %w", chargeID, err)
	}
	owed, err := unpaid(ctx, store, chargeID)
	if err != nil {
		return 0, "", err
	}
	m, err := store.GetMerchant(ctx, charge.Charge.MerchantID)
	if err != nil {
		return 0, "", err
	}
	address, err := payoutAddress(box, m)
	return owed, address, err
}

func unpaid(ctx context.Context, store *postgres.Store, chargeID string) (money.Piconero, error) {
	payments, err := store.ChargePayments(ctx, chargeID)
	if err != nil {
		return 0, err
	}
	var sum money.Piconero
	for _, p := range payments {
		if p.PayoutID == nil {
			if sum, err = sum.Add(p.Amount); err != nil {
				return 0, err
			}
		}
	}
	return sum, nil
}

func payoutAddress(box *secret.Box, m db.Merchant) (string, error) {
	if m.DeletedAt == nil {
		return "", errors.New("the account exists: its merchant can sweep")
	}
	if m.PayoutAddressSealed == nil {
		return "", errors.New("the merchant had set no payout address: keep the money until somebody claims it")
	}
	plain, err := box.Unseal(m.PayoutAddressSealed, secret.PayoutPlace.Of(m.MerchantID))
	return string(plain), err
}
