package main

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// adminCmd holds the commands of operators. Those without a Run are in the tables works, asks
// and answers.
type adminCmd struct {
	As   string `placeholder:"NAME" help:"Who acts, for the audit; the user of this machine by default."`
	JSON bool   `name:"json" help:"Answer in JSON, for programs."`

	Find   findCmd   `cmd:"" group:"Look" help:"Find a charge, payout, refund, trade, swap or merchant by identifier, order, transaction, email or address."`
	Health struct{}  `cmd:"" group:"Look" help:"Nodes and wallets, balances against the books, the outbox, backups and forks, and what is wrong."`
	Alerts alertsCmd `cmd:"" group:"Look" help:"What operators must look at."`
	Audit  pageFlags `cmd:"" group:"Look" help:"List what operators changed, newest first."`

	Charges    chargesCmd    `cmd:"" group:"Money" help:"Charges of merchants."`
	Payments   paymentsCmd   `cmd:"" group:"Money" help:"Payments that belong to no charge, and what has stopped."`
	Payouts    payoutsCmd    `cmd:"" group:"Money" help:"Payouts of merchants: look at them, retry or release one that is stuck."`
	Refunds    refundsCmd    `cmd:"" group:"Money" help:"Refunds of merchants."`
	Deliveries deliveriesCmd `cmd:"" group:"Money" help:"Deliveries that failed or were dropped."`
	Owed       owedCmd       `cmd:"" group:"Money" help:"Where to send the money of a charge whose merchant has deleted the account."`

	Merchants merchantsCmd `cmd:"" group:"Accounts" help:"Merchants: list, suspend, hold what they are paid out, terms of their own."`
	Invite    inviteCmd    `cmd:"" group:"Accounts" help:"Invites to open an account, where SIGNUP=invite."`
	Fees      feesCmd      `cmd:"" group:"Accounts" help:"Fee rates by volume."`
	Grant     account      `cmd:"" group:"Accounts" help:"Make an account an admin, who may use /api/admin."`
	Revoke    account      `cmd:"" group:"Accounts" help:"Take that away."`

	Trades    tradesCmd    `cmd:"" group:"Exchange" help:"Trades of the swap exchange and the events of their partners."`
	SwapKey   swapKeyCmd   `cmd:"" group:"Exchange" name:"swap-key" help:"Keys of the swap exchange."`
	Sanctions sanctionsCmd `cmd:"" group:"Exchange" help:"The sanctions list that addresses of the exchange are checked against."`

	Reconcile struct{}   `cmd:"" group:"Repair" help:"Start the workflows of everything that is open and has none, after Temporal's database was lost."`
	Recover   recoverCmd `cmd:"" group:"Repair" help:"Show what wallets and chains know beyond the database, and end safe mode."`
	Keys      keysCmd    `cmd:"" group:"Repair" help:"Keys that columns in the database are sealed with."`
	LogName   logNameCmd `cmd:"" group:"Repair" name:"log-name" help:"What logs call a charge, payment request, swap or trade, to find its lines."`
}

type keysCmd struct {
	Rotate  struct{} `cmd:"" help:"Add a fresh key and seal every column with it. Services go on running."`
	DropOld struct{} `cmd:"" help:"Remove the keys that nothing is sealed with any more."`
}

func rekeyAll(ctx context.Context, cfg config.Config, store *postgres.Store) error {
	box, err := openBox(cfg.Keys, secret.Admin)
	if err != nil {
		return err
	}
	n, err := operator.Rekey(ctx, store, box)
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

// Run runs the selected command if it is in a table. Kong calls it after the Run of a command
// that has one.
func (a *adminCmd) Run(ctx context.Context, parsed *kong.Context) error {
	command := strings.TrimPrefix(parsed.Selected().FullPath(), "durapay admin ")
	if work, works := a.works(ctx)[command]; works {
		return withStore(ctx, postgres.ByHand, work)
	}
	if ask, asks := a.asks(ctx)[command]; asks {
		b, err := openBase(ctx, "durapay-admin")
		if err != nil {
			return err
		}
		defer b.close()
		if err := ask(b); err != nil {
			return err
		}
	}
	answer, answers := a.answers(ctx)[command]
	if !answers { // Kong calls this after a command with a Run of its own, too
		return nil
	}
	return withStore(ctx, postgres.ByHand, func(cfg config.Config, store *postgres.Store) error {
		box, err := openBox(cfg.Keys, secret.Admin)
		if err != nil {
			return err
		}
		index, err := openIndex(cfg.Keys, secret.Accounts)
		if err != nil {
			return err
		}
		answer, err := answer(&operator.Admin{
			Store: store, Box: box, Index: index, Clock: clock, FeeRate: cfg.FeeRate.Decimal, ConfirmGrace: cfg.ConfirmGrace(),
			Notices: notice.Notices{Box: box, Clock: clock, Mails: cfg.SMTPHost != ""}, AllKeys: true,
		})
		if err != nil {
			return err
		}
		return a.show(answer)
	})
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

// rowFlags bounds a list.
type rowFlags struct {
	Limit int32 `default:"50" help:"Rows, 1 to 200."`
}

func (p rowFlags) rows() int32 { return min(max(p.Limit, 1), operator.MaxRows) }

// pageFlags selects a part of a list.
type pageFlags struct {
	rowFlags

	Cursor int64 `help:"next_cursor of the page before."`
}

func (p pageFlags) page() operator.Page {
	return operator.Page{Cursor: max(p.Cursor, 0), Limit: p.rows()}
}

// noted names a row that is resolved with a note.
type noted struct {
	ID   int64  `arg:"" help:"Its id in the list."`
	Note string `arg:"" help:"What was done about it."`
}

// timeFlags selects a part of a list whose rows have no numbers.
type timeFlags struct {
	rowFlags

	Cursor string `help:"Cursor of the next page, as the page before shows it."`
}

func (p timeFlags) page() operator.TimePage {
	return operator.TimePage{Cursor: p.Cursor, Limit: p.rows()}
}

// filterFlags selects rows of a list.
type filterFlags struct {
	timeFlags

	Status   string `help:"Only rows with this status."`
	Merchant string `placeholder:"ID" help:"Only rows of this merchant. Not together with --status."`
}

func (f filterFlags) filter() operator.Filter {
	return operator.Filter{Status: f.Status, MerchantID: f.Merchant}
}

type findCmd struct {
	Text string `arg:"" help:"Identifier, order, transaction, email or address."`
}

type chargesCmd struct {
	List struct {
		filterFlags

		Mode string `enum:"live,sandbox" default:"live" help:"live or sandbox."`
	} `cmd:"" help:"List charges, newest first."`
	Show struct {
		ChargeID string `arg:"" help:"Charge identifier, ch_…"`
	} `cmd:"" help:"Show a charge with its payments, refunds and timeline."`
}

type refundsCmd struct {
	List filterFlags `cmd:"" help:"List refunds, newest first."`
	Show struct {
		RefundID string `arg:"" help:"Refund identifier, rf_…"`
	} `cmd:"" help:"Show a refund with its claims and timeline."`
}

type paymentsCmd struct {
	Unmatched struct {
		pageFlags

		Resolved bool `help:"Those that were resolved."`
	} `cmd:"" help:"List payments that belong to no charge, newest first."`
	Resolve noted    `cmd:"" help:"Note what was done about one; its alert is closed."`
	Stuck   struct{} `cmd:"" help:"List what is overdue, payouts, trades and refunds that do not get on, charges without their money, wallets that are not watched."`
}

type deliveriesCmd struct {
	List      timeFlags `cmd:"" help:"List them, newest first."`
	Redeliver struct {
		DeliveryID string `arg:"" help:"Delivery identifier, whd_…"`
	} `cmd:"" help:"Send one again: the same bytes, a fresh signature."`
}

type alertsCmd struct {
	List struct {
		pageFlags

		Resolved bool `help:"Those that are closed."`
	} `cmd:"" help:"List them, newest first."`
	Resolve noted `cmd:"" help:"Close one."`
}

type logNameCmd struct {
	ID string `arg:"" help:"Identifier of a charge, payment request, swap or trade."`
}

// Run prints the name of an identifier in the logs.
func (c *logNameCmd) Run() error {
	_, err := fmt.Println(telemetry.LogName(c.ID))
	return err
}
