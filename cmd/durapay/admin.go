package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/user"
	"strconv"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rekey"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// adminCmd holds the commands of operators.
type adminCmd struct {
	As string `placeholder:"NAME" help:"Who acts, for the audit; the user of this machine by default."`

	Grant      grantCmd      `cmd:"" help:"Make an account an admin, who may use /api/admin."`
	Revoke     revokeCmd     `cmd:"" help:"Take that away."`
	Merchants  merchantsCmd  `cmd:"" help:"Merchants: list, suspend, hold what they are paid out, terms of their own."`
	Invite     inviteCmd     `cmd:"" help:"Invites to open an account, where SIGNUP=invite."`
	Fees       feesCmd       `cmd:"" help:"Fee rates by volume."`
	Payments   paymentsCmd   `cmd:"" help:"Payments that belong to no charge, and what has stopped."`
	Payouts    payoutsCmd    `cmd:"" help:"Payouts of merchants: look at them, retry or release one that is stuck."`
	Reconcile  reconcileCmd  `cmd:"" help:"Start the workflows of everything that is open and has none, after Temporal's database was lost."`
	Recover    recoverCmd    `cmd:"" help:"Show what wallets and chains know beyond the database, and end safe mode."`
	Deliveries deliveriesCmd `cmd:"" help:"Deliveries that failed or were dropped."`
	Alerts     alertsCmd     `cmd:"" help:"What operators must look at."`
	Audit      auditCmd      `cmd:"" help:"List what operators changed, newest first."`
	Keys       keysCmd       `cmd:"" help:"Keys that columns in the database are sealed with."`
	LogName    logNameCmd    `cmd:"" name:"log-name" help:"What logs call a charge, payment request, swap or trade, to find its lines."`
	Owed       owedCmd       `cmd:"" help:"Where to send the money of a charge whose merchant has deleted the account."`
	Sanctions  sanctionsCmd  `cmd:"" help:"The sanctions list that addresses of the exchange are checked against."`
	SwapKey    swapKeyCmd    `cmd:"" name:"swap-key" help:"Keys of the swap exchange."`
	Trades     tradesCmd     `cmd:"" help:"Trades of the swap exchange and what their partners were told."`
}

type keysCmd struct {
	Rotate  rotateCmd  `cmd:"" help:"Add a fresh key and seal every column with it. Services go on running."`
	DropOld dropOldCmd `cmd:"" help:"Remove the keys that nothing is sealed with any more."`
}

type rotateCmd struct{}

// Run adds a key, makes it the primary one and rekeys every row. The next run completes an
// interrupted one.
func (c *rotateCmd) Run(ctx context.Context) error {
	return withStore(ctx, postgres.ByHand, func(cfg config.Config, store *postgres.Store) error {
		if err := rotate(cfg.Keys); err != nil {
			return err
		}
		return rekeyAll(ctx, cfg, store)
	})
}

type dropOldCmd struct{}

// Run rekeys the rows that still use an older key, then removes the older keys.
func (c *dropOldCmd) Run(ctx context.Context) error {
	return withStore(ctx, postgres.ByHand, func(cfg config.Config, store *postgres.Store) error {
		if err := rekeyAll(ctx, cfg, store); err != nil {
			return err
		}
		n, err := dropOldKeys(cfg.Keys)
		if err == nil {
			fmt.Printf("%d old keys removed\n", n)
		}
		return err
	})
}

func rekeyAll(ctx context.Context, cfg config.Config, store *postgres.Store) error {
	box, err := openBox(cfg.Keys, secret.Admin)
	if err != nil {
		return err
	}
	n, err := rekey.All(ctx, store, box)
	if err == nil {
		fmt.Printf("%d values sealed with the newest key\n", n)
	}
	return err
}

// withStore runs a command on the database.
func withStore(ctx context.Context, limits postgres.Limits, do func(config.Config, *postgres.Store) error) error {
	cfg, err := config.Load()
	if err != nil {
		return err
	}
	store, err := postgres.Open(ctx, cfg.DatabaseURL, cfg.DatabaseConns, limits)
	if err != nil {
		return err
	}
	defer store.Close()
	return do(cfg, store)
}

// asAdmin runs fn with an operator.Admin and prints its answer as JSON.
func asAdmin[T any](ctx context.Context, fn func(*operator.Admin) (T, error)) error {
	return withStore(ctx, postgres.ByHand, func(cfg config.Config, store *postgres.Store) error {
		box, err := openBox(cfg.Keys, secret.Admin)
		if err != nil {
			return err
		}
		index, err := openIndex(cfg.Keys, secret.Accounts)
		if err != nil {
			return err
		}
		answer, err := fn(&operator.Admin{
			Store: store, Box: box, Index: index, Clock: clock, FeeRate: cfg.FeeRate.Decimal, ConfirmGrace: cfg.ConfirmGrace(),
			Notices: notice.Notices{Box: box, Clock: clock, Mails: cfg.SMTPHost != ""},
		})
		if err != nil {
			return err
		}
		return show(answer)
	})
}

func show(v any) error {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// actor returns the name of the operator for the audit log.
func (a *adminCmd) actor() operator.Actor {
	name := a.As
	if name == "" {
		name = strconv.Itoa(os.Getuid())
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	return operator.Actor("cli:" + name)
}

// pageFlags selects a part of a list.
type pageFlags struct {
	Limit  int32 `default:"50" help:"Rows, 1 to 200."`
	Cursor int64 `help:"next_cursor of the page before."`
}

func (p pageFlags) page() operator.Page {
	return operator.Page{Cursor: max(p.Cursor, 0), Limit: p.rows()}
}

func (p pageFlags) rows() int32 { return min(max(p.Limit, 1), operator.MaxRows) }

type logNameCmd struct {
	ID string `arg:"" help:"Identifier of a charge, payment request, swap or trade."`
}

// Run prints the name of an identifier in the logs.
func (c *logNameCmd) Run() error {
	_, err := fmt.Println(telemetry.LogName(c.ID))
	return err
}
