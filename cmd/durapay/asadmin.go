package main

import (
	"context"
	"encoding/json"
	"os"
	"os/user"
	"strconv"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

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
