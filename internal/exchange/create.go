package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
)

// NewTrade is the request for a trade. Networks are canonical, and the form of the addresses
// was checked.
type NewTrade struct {
	TradeID string
	KeyID   *string
	// ClientCode identifies the client for the cap on inventory that is reserved without a
	// deposit; nil lifts the cap.
	ClientCode                                   []byte
	TickerFrom, NetworkFrom, TickerTo, NetworkTo string
	AmountFrom                                   money.Decimal
	// Markup is in basis points.
	Markup                                int64
	Address, Refund                       string
	ExtraID, RefundMemo, WebhookURL, Note *string
	// Now is when the trade is made.
	Now time.Time
}

// Details returns the part of the request that is sealed, with a new password.
func (in NewTrade) Details() Details {
	return Details{
		Password: secret.NewTradeID(), Address: in.Address, ExtraID: in.ExtraID, Refund: in.Refund, RefundMemo: in.RefundMemo,
		WebhookURL: in.WebhookURL, Note: in.Note,
	}
}

// Trades makes the trades that the exchange fills itself.
type Trades struct {
	Store  *postgres.Store
	Secret *secret.Box
	Quoter *Quoter
	// Sanctioned reports whether one of the addresses is on the sanctions list in force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Window is how long a deposit may take.
	Window time.Duration
}

// Create prices a trade, takes an address from the pool and inserts the row, which reserves
// the inventory for it. The same transaction writes a wakeup, which starts the trade's
// workflow. A second run finds the row and returns it, even if a new trade would be refused
// by now. Create returns trade.LimitError or ErrStale as Quote does, and for any other
// reason a refusal.
func (t *Trades) Create(ctx context.Context, p Pair, in NewTrade) (db.Trade, error) {
	made := t.create(ctx, p, in)
	row, err := t.Store.GetTrade(ctx, in.TradeID)
	if postgres.IsNotFound(err) && made != nil {
		err = made
	}
	return row, err
}

func (t *Trades) create(ctx context.Context, p Pair, in NewTrade) error {
	if !p.Own() {
		return unfillable()
	}
	if err := Screen(ctx, t.Sanctioned, in); err != nil {
		return err
	}
	err := t.Store.TxTogether(ctx, func(q, later *db.Queries) error { return t.insert(ctx, q, later, p, in) })
	if errors.Is(err, postgres.ErrNoLease) {
		return refusals.New(refusals.Route, "no deposit address is ready")
	}
	return err
}

// Screen refuses listed addresses. Without a list it refuses all addresses.
func Screen(ctx context.Context, sanctioned func(context.Context, ...string) (bool, error), in NewTrade) error {
	listed, err := sanctioned(ctx, in.Address, in.Refund)
	if errors.Is(err, sanctions.ErrNoList) {
		return refusals.New(refusals.Route, "addresses cannot be checked now")
	}
	if err == nil && listed {
		err = refusals.New(refusals.Blocked, "an address cannot be used")
	}
	return err
}

// insert prices and writes the trade. It locks the wallet that will pay until the commit, so
// that no two trades reserve the same inventory. Under the lock it waits for the database
// three times: for what the trade begins with, for an address, and for all writes.
func (t *Trades) insert(ctx context.Context, q, later *db.Queries, p Pair, in NewTrade) error {
	to, err := q.LockWallet(ctx, p.To.WalletID)
	if postgres.IsNotFound(err) {
		return unfillable()
	}
	if err != nil {
		return err
	}
	// A statement of its own, because it must see what the lock's last holder has written.
	begun, err := q.BeginTrade(ctx, db.BeginTradeParams{WalletFrom: p.From.WalletID, WalletTo: p.To.WalletID, ClientCode: in.ClientCode})
	if postgres.IsNotFound(err) {
		return unfillable()
	}
	if err != nil {
		return err
	}
	offer, err := t.Quoter.Quote(ctx, reading{begun, to}, p, in.AmountFrom, in.Markup, in.Now)
	if err != nil {
		return RefuseQuote(err)
	}
	if in.ClientCode == nil {
		offer.Inventory.ClientPercent = 0
	}
	if !offer.Inventory.Admits(offer.AmountTo, begun.OfClient) {
		return refusals.New(refusals.Route, "too many trades wait for a deposit, try again later")
	}
	address, err := q.HandOutAddresses(ctx, db.HandOutAddressesParams{WalletID: p.From.WalletID, Most: 1})
	if err != nil {
		return err
	}
	if len(address) == 0 {
		return postgres.NoAddress(ctx, q, p.From.WalletID, unfillable(), refusals.New(refusals.Route, "no deposit address is ready"))
	}
	row, err := t.newRow(p, in, offer, address[0].Address)
	if err != nil {
		return err
	}
	if err := later.InsertTrade(ctx, row); err != nil {
		return err
	}
	wake := outbox.NewTrade(in.TradeID, in.KeyID)
	return later.WakeNewTrade(ctx, db.WakeNewTradeParams{ID: wake.ID, Owner: wake.Owner, GraceSeconds: outbox.Grace.Seconds()})
}

func unfillable() error { return refusals.New(refusals.Route, "the pair cannot be filled now") }

// reading gives the quoter the rows of one trade.
type reading struct {
	begun db.BeginTradeRow
	to    db.Wallet
}

// GetWallet implements BalanceReader.
func (b reading) GetWallet(_ context.Context, walletID string) (db.Wallet, error) {
	if walletID == b.to.ID {
		return b.to, nil
	}
	return b.begun.Wallet, nil
}

// ReservedInventory implements BalanceReader.
func (b reading) ReservedInventory(context.Context, string) (db.ReservedInventoryRow, error) {
	return db.ReservedInventoryRow{Reserved: b.begun.Reserved, Unfunded: b.begun.Unfunded}, nil
}

// RefuseQuote turns the quoter's reasons for no quote into refusals, except limits and a
// stale price, which have answers of their own.
func RefuseQuote(err error) error {
	if errors.Is(err, trade.ErrUnfillable) || errors.Is(err, ErrBlind) {
		return unfillable()
	}
	return err
}

func (t *Trades) newRow(p Pair, in NewTrade, offer Offer, address string) (db.InsertTradeParams, error) {
	details, err := in.Details().Seal(t.Secret, in.TradeID)
	row := db.InsertTradeParams{
		ID: in.TradeID, IDProvider: secret.NewID("sw_"), DetailsSealed: details, HasWebhook: in.WebhookURL != nil, KeyID: in.KeyID, ClientCode: in.ClientCode,
		Provider: ProviderName, Risk: string(provider.RiskPrecheck), WalletFrom: &p.From.WalletID, WalletTo: &p.To.WalletID,
		TickerFrom: p.From.Ticker, NetworkFrom: p.From.Network, TickerTo: p.To.Ticker, NetworkTo: p.To.Network,
		AmountFrom: offer.AmountFrom, AmountTo: offer.AmountTo, Reserved: offer.AmountTo, Rate: offer.Rate, Markup: int32(in.Markup),
		MinFrom: offer.Min, MaxFrom: offer.Max, DepositAddress: address,
		Confirmations: p.From.Confirmations, CreatedAt: in.Now, WindowSeconds: int32(t.Window / time.Second),
		ExpiresAt: in.Now.Add(t.Window),
	}
	if in.KeyID != nil {
		row.CommissionRate = offer.CommissionRate
	}
	return row, err
}
