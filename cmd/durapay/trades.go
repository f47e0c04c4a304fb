package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

type swapKeyCmd struct {
	Create createKeyCmd `cmd:"" help:"Make a key and print it, with a partner's secret, as JSON. It is shown this once."`
}

type createKeyCmd struct {
	Class     string `enum:"affiliate,partner" required:"" help:"Class of the key: affiliate or partner."`
	MarkupCap *int32 `help:"Greatest markup in basis points, 0 to 5000; that of the class by default."`
}

// create creates the key and prints it.
func (c *createKeyCmd) create(ctx context.Context, cfg config.Config, store *postgres.Store) error {
	if c.MarkupCap != nil && (*c.MarkupCap < 0 || *c.MarkupCap > 5000) {
		return fmt.Errorf("--markup-cap must be 0 to 5000")
	}
	box, err := openBox(cfg.Keys, secret.Admin)
	if err != nil {
		return err
	}
	row := db.InsertSwapKeyParams{
		ID: secret.NewID("sk_"), Prefix: secret.AffiliateKeyPrefix, Class: c.Class, MarkupCap: c.MarkupCap, CreatedAt: clock(),
	}
	shown := map[string]string{}
	if c.Class == "partner" {
		row.Prefix, shown["secret"] = secret.PartnerKeyPrefix, secret.NewSecret()
		if row.SecretSealed, err = box.Seal([]byte(shown["secret"]), secret.PartnerPlace.Of(row.ID)); err != nil {
			return err
		}
	}
	shown["key"] = secret.NewSwapKey(row.Prefix)
	row.KeyHash = secret.HashAPIKey(shown["key"])
	if err := store.InsertSwapKey(ctx, row); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(shown)
}

type tradesCmd struct {
	List listTrades `cmd:"" help:"List trades, newest first."`
	Show struct {
		TradeID string `arg:"" help:"Trade identifier."`
	} `cmd:"" help:"Show a trade with its deposits, transactions and events."`
	Retry  onePayment `cmd:"" help:"Have a transaction that failed tried again: what was built is relayed, never built again."`
	Refund struct {
		Payment int64 `arg:"" help:"Number of the payout, as show tells it."`
	} `cmd:"" help:"Send the deposit of a payout back that failed and was never built."`
	Release onePayment `cmd:"" help:"Build a transaction anew that can never be mined any more, because others in blocks spend its coins."`
	End     struct {
		TradeID string `arg:"" help:"Trade identifier."`
	} `cmd:"" help:"End a trade's waiting for a deposit that is locked for years, or that left the chain for good."`
	Dead   deadCmd `cmd:"" help:"Show status webhooks that were given up."`
	Resend struct {
		Event int64 `arg:"" help:"Number of the event."`
	} `cmd:"" help:"Send a status webhook again that was given up."`

	// asked is the trade that askAbout found.
	asked string
}

type onePayment struct {
	Payment int64 `arg:"" help:"Number of the transaction, as show tells it."`
}

type listTrades struct {
	timeFlags

	Status string `help:"Only trades with this status." xor:"which"`
	Stuck  bool   `help:"Only trades with an open alert, or settled for more than an hour." xor:"which"`
}

func (c *listTrades) of(ctx context.Context, d *operator.Admin) (operator.Trades, error) {
	if c.Stuck {
		return d.StuckTrades(ctx, c.rows())
	}
	return d.Trades(ctx, c.Status, c.page())
}

// askAbout sends an update about a transaction to the workflow of its trade.
func (c *tradesCmd) askAbout(ctx context.Context, b *base, in workflows.RetryTradePayment) error {
	t, err := b.store.GetTradePayment(ctx, in.TradePaymentID)
	if err != nil {
		return fmt.Errorf("transaction %d: %w", in.TradePaymentID, err)
	}
	c.asked = t.TradeID
	return b.ask(ctx, dispatch.Row{Kind: outbox.Trades, ID: t.TradeID}, workflows.RetryUpdate, in)
}

type deadCmd struct {
	After int64 `help:"Only events with a greater number."`
	Limit int32 `default:"50" help:"How many."`
}

// print prints one event per line.
func (c *deadCmd) print(ctx context.Context, store *postgres.Store) error {
	rows, err := store.DeadTradeEvents(ctx, db.DeadTradeEventsParams{ID: c.After, Limit: c.Limit})
	for _, e := range rows {
		reason := ""
		if e.Error != nil {
			reason = textForPeople(*e.Error)
		}
		fmt.Printf("%d  trade %s  %s  %s  %d attempts  %s\n", e.ID, e.TradeID, e.Status, e.Delivery, e.Attempts, reason)
	}
	return err
}
