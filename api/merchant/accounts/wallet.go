package accounts

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// Wallet answers requests about the wallet that a shop's customers pay.
type Wallet struct {
	Store   *postgres.Store
	Confirm access.Asker
	Notices notice.Notices
	Clock   func() time.Time
	// PayoutHold is how long new charges still pay the former wallet after a change. 0 means that
	// nothing waits.
	PayoutHold time.Duration
	// Keys checks and seals the keys of shops' own wallets.
	Keys WalletKeys
}

// Register registers the wallet.
func (h *Wallet) Register(api operation.API) {
	operation.WithSession(api, operation.Route{ID: "getWallet", At: "GET /api/account/wallet"}, h.get)
	operation.WithSession(api, operation.Route{ID: "setWallet", At: "PUT /api/account/wallet", Confirmed: true, Recent: true}, h.set)
}

type newWallet struct {
	Custody        config.Custody `json:"custody,omitempty" enum:"own,hosted" default:"own" doc:"own: new charges pay the shop's own wallet; hosted: they pay the service's"`
	PrimaryAddress string         `json:"primary_address,omitempty" doc:"Mainnet primary address of the wallet, 95 characters that begin with 4; for own" example:"48Jyiqk1xYHLtZ7hDSuxqkbKoqerRy2MS12jJGs3KxSNDkQdzqj6FYm4rYZkL2KiLSj6ecf2MCsr3Kdoi4UULUdx1VJY1bx"`
	PrivateViewKey string         `json:"private_view_key,omitempty" doc:"Private view key of the wallet, 64 hex digits; for own. It is stored sealed and never shown again" example:"ac129ca810bff0a3d99005ed8c0757c12a3b72a21877177bd5fe11482dc73a01"`
	Account        *int32         `json:"account,omitempty" minimum:"1" maximum:"2000" doc:"Account of the wallet in which charges begin; 10 when it is missing" example:"10"`
	TOTPCode       *string        `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type walletChange struct {
	Custody        config.Custody `json:"custody" enum:"hosted,own"`
	PrimaryAddress *string        `json:"primary_address" doc:"First and last six characters; null for hosted" example:"48Jyiq…VJY1bx"`
	From           wire.Time      `json:"effective_from" doc:"From when new charges pay it"`
	MadeAt         wire.Time      `json:"created_at" doc:"When the shop chose it"`
}

type walletView struct {
	Custody        config.Custody `json:"custody" enum:"hosted,own" doc:"Who holds what new live charges receive"`
	CustodyText    string         `json:"custody_text" doc:"The same in one sentence" example:"Customers pay your own wallet directly: this service holds none of that money and cannot spend it."`
	Allowed        []string       `json:"allowed" doc:"What the service offers" example:"[\"hosted\",\"own\"]"`
	PrimaryAddress *string        `json:"primary_address" doc:"First and last six characters of the own wallet that new charges pay; null for none" example:"48Jyiq…VJY1bx"`
	Account        *int32         `json:"account" doc:"Account in which the addresses of new charges are; null without an own wallet" example:"10"`
	AccountsLeft   *int32         `json:"accounts_left" doc:"How many more accounts a wallet with default settings finds by itself; null without an own wallet. Below 10, create accounts in the wallet, or have the shop paid" example:"49"`
	FeeOwed        money.Piconero `json:"fee_owed_xmr" doc:"The operator's share of what own wallets of the shop received: owed, and never taken"`
	ChangesAt      *wire.Time     `json:"changes_at" doc:"When the newest change in history takes effect; null when none waits"`
	History        []walletChange `json:"history" doc:"The last changes, the newest first"`
}

func (h *Wallet) get(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[walletView], error) {
	view, err := h.view(ctx, h.Store.Queries, m)
	return httpapi.With(view, err)
}

// mostChanges is how many changes of the wallet are shown.
const mostChanges = 20

func (h *Wallet) view(ctx context.Context, q *db.Queries, m db.Merchant) (walletView, error) {
	now := h.Clock()
	custody := postgres.CustodyOf(m, h.Keys.Custody, now)
	view := walletView{Custody: custody, CustodyText: postgres.CustodyText(custody), Allowed: h.Keys.allowed(), History: []walletChange{}}
	var err error
	if view.FeeOwed, err = q.FeeOwed(ctx, m.MerchantID); err != nil {
		return view, err
	}
	if id := postgres.OwnWalletAt(m, now); id != nil {
		own, err := q.OwnWallet(ctx, *id)
		if err != nil {
			return view, err
		}
		reached, _ := charge.PositionOf(int32(own.HandedOut))
		reached = max(reached, own.FirstAccount)
		view.PrimaryAddress, view.Account = new(payout.MaskAddress(own.PrimaryAddress)), &reached
		view.AccountsLeft = new(charge.AccountsLeft(reached, own.PaidAccount))
	}
	made, err := q.ListWalletChanges(ctx, db.ListWalletChangesParams{MerchantID: m.MerchantID, MaxRows: mostChanges})
	for _, c := range made {
		view.History = append(view.History, changeOf(c))
	}
	if m.WalletChangeAt != nil && now.Before(*m.WalletChangeAt) {
		view.ChangesAt = wire.TimeOrNil(m.WalletChangeAt)
	}
	return view, err
}

func changeOf(c db.ListWalletChangesRow) walletChange {
	change := walletChange{Custody: config.CustodyHosted, From: wire.TimeOf(c.EffectiveFrom), MadeAt: wire.TimeOf(c.CreatedAt)}
	if c.PrimaryAddress != nil {
		change.Custody, change.PrimaryAddress = config.CustodyOwn, new(payout.MaskAddress(*c.PrimaryAddress))
	}
	return change
}

func (h *Wallet) set(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newWallet] }) (*httpapi.Out[walletView], error) {
	fields := in.Body.Value()
	var wallet *ownWallet
	var err error
	switch fields.Custody {
	case config.CustodyHosted:
		if h.Keys.Custody == config.CustodyOwn {
			return nil, httpapi.BadRequest("this service holds no money for others: custody must be own")
		}
		if fields.PrimaryAddress != "" || fields.PrivateViewKey != "" || fields.Account != nil {
			return nil, httpapi.BadRequest("primary_address, private_view_key and account are for custody own")
		}
	case config.CustodyOwn, "":
		if wallet, err = h.Keys.check(fields.PrimaryAddress, fields.PrivateViewKey, fields.Account); err != nil {
			return nil, err
		}
	default:
		return nil, httpapi.BadRequest("custody must be one of: own, hosted")
	}
	var view walletView
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
		if err := h.choose(ctx, q, held, wallet); err != nil {
			return err
		}
		after, err := q.GetMerchant(ctx, held.MerchantID)
		if err != nil {
			return err
		}
		view, err = h.view(ctx, q, after)
		return err
	})
	return httpapi.With(view, err)
}

// choose makes new charges pay a shop's own wallet, or with nil the hosted one. The change waits
// for PayoutHold, except the first wallet of a shop that never sold. Choosing the wallet that is
// in use ends a change that waits. Choosing the wallet that waits again does not restart its time.
// held is the merchant's row, which the caller has locked.
func (h *Wallet) choose(ctx context.Context, q *db.Queries, held db.Merchant, wallet *ownWallet) error {
	now := h.Clock().UTC().Truncate(time.Millisecond)
	current := postgres.OwnWalletAt(held, now)
	target, err := wallet.store(ctx, q, held.MerchantID)
	if err != nil {
		return err
	}
	waiting := held.WalletChangeAt != nil && now.Before(*held.WalletChangeAt)
	switch {
	case isSame(target, current) && !waiting, !isSame(target, current) && waiting && isSame(target, held.NextWalletID):
		return nil
	case isSame(target, current):
		return h.chosen(ctx, q, held, db.ChooseWalletParams{NowID: current}, target, now, nil)
	}
	sold, err := q.HasSold(ctx, held.MerchantID)
	if err != nil {
		return err
	}
	if h.PayoutHold == 0 || !sold {
		return h.chosen(ctx, q, held, db.ChooseWalletParams{NowID: target}, target, now, nil)
	}
	from := now.Add(h.PayoutHold)
	return h.chosen(ctx, q, held, db.ChooseWalletParams{NowID: current, NextID: target, ChangeAt: &from}, target, now, &from)
}

// chosen stores a choice, its place in the history and the mail about it. from is when it takes
// effect; nil for now.
func (h *Wallet) chosen(ctx context.Context, q *db.Queries, m db.Merchant, to db.ChooseWalletParams, target *string, now time.Time, from *time.Time) error {
	to.MerchantID = m.MerchantID
	if err := q.ChooseWallet(ctx, to); err != nil {
		return err
	}
	change := db.RecordWalletChangeParams{MerchantID: m.MerchantID, WalletID: target, CreatedAt: now, EffectiveFrom: now}
	if from != nil {
		change.EffectiveFrom = *from
	}
	if err := q.RecordWalletChange(ctx, change); err != nil {
		return err
	}
	return h.Notices.Enqueue(ctx, q, m, notice.Wallet, from)
}

func isSame(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
