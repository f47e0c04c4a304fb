package operator

import (
	"cmp"
	"context"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// FoundKind is what a search found.
type FoundKind string

// The kinds that a search finds.
const (
	FoundCharge         FoundKind = "charge"
	FoundPayout         FoundKind = "payout"
	FoundRefund         FoundKind = "refund"
	FoundTrade          FoundKind = "trade"
	FoundSwap           FoundKind = "swap"
	FoundMerchant       FoundKind = "merchant"
	FoundDelivery       FoundKind = "delivery"
	FoundPaymentRequest FoundKind = "payment_request"
	FoundUnmatched      FoundKind = "unmatched"
	FoundTransaction    FoundKind = "transaction"
)

// FoundItem is a row that a text names.
type FoundItem struct {
	Kind       FoundKind   `json:"kind" enum:"charge,payout,refund,trade,swap,merchant,delivery,payment_request,unmatched,transaction"`
	ID         string      `json:"id" example:"ch_0123456789abcdef01234567"`
	Status     string      `json:"status" example:"confirmed"`
	Mode       config.Mode `json:"mode" enum:"live,sandbox"`
	MerchantID *string     `json:"merchant_id" doc:"null: it belongs to none"`
	By         string      `json:"by" doc:"What the text is of it: id, order, address, transaction, email or log, its name in logs" example:"order"`
	CreatedAt  wire.Time   `json:"created_at"`
}

// Found is what a text names.
type Found struct {
	Found []FoundItem `json:"found" doc:"Empty for nothing"`
	More  bool        `json:"more" doc:"There are more than these"`
}

// MaxFound is the maximum number of items that a search returns, and MaxSought the maximum
// number of characters of its text.
const (
	MaxFound  = 50
	MaxSought = 500
)

// identifierIn finds an identifier in an address of a page or in the name of a workflow.
var identifierIn = regexp.MustCompile(`(?:ch|po|rf|rc|swp|sw|pr|whd)_[0-9a-f]{24}|\b[0-9a-f]{32}\b`)

// finder collects what one text names.
type finder struct {
	*Admin

	text  string
	found []FoundItem
}

// Find searches by identifier, name in logs, order, transaction, email and address. Each step reads few rows
// by an index. Sealed addresses, and what buyers entered, cannot be searched.
func (d *Admin) Find(ctx context.Context, text string) (Found, error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n < 1 || n > MaxSought || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Found{}, refuse("text must be 1 to %d characters", MaxSought)
	}
	f := &finder{Admin: d, text: text}
	for _, step := range []func(context.Context) error{f.byID, f.byLogName, f.byTransaction, f.byEmail, f.byAddress, f.byOrder} {
		if err := step(ctx); err != nil {
			return Found{}, err
		}
	}
	if len(f.found) > MaxFound {
		return Found{f.found[:MaxFound], true}, nil
	}
	return Found{append([]FoundItem{}, f.found...), false}, nil
}

// add adds an item, unless it was found before.
func (f *finder) add(i FoundItem) {
	i.Mode = cmp.Or(i.Mode, config.Live)
	for _, before := range f.found {
		if before.Kind == i.Kind && before.ID == i.ID {
			return
		}
	}
	f.found = append(f.found, i)
}

// seek runs a query for one row and adds it if there is one.
func seek[R any](f *finder, row R, err error, item func(R) FoundItem) error {
	if postgres.IsNotFound(err) {
		return nil
	}
	if err == nil {
		f.add(item(row))
	}
	return err
}

func (f *finder) byID(ctx context.Context) error {
	for _, id := range identifierIn.FindAllString(f.text, 2) {
		if err := f.byOneID(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (f *finder) byOneID(ctx context.Context, id string) error {
	prefix, _, has := strings.Cut(id, "_")
	if !has {
		return f.byHexID(ctx, id)
	}
	switch prefix {
	case "ch":
		c, err := f.ChargeByID(ctx, id)
		return seek(f, c, err, func(c WholeCharge) FoundItem {
			return FoundItem{FoundCharge, c.ChargeID, c.Status, c.Mode, &c.MerchantID, "id", c.CreatedAt}
		})
	case "po":
		p, err := f.Store.GetPayout(ctx, id)
		return seek(f, p, err, func(p db.Payout) FoundItem { return payoutFound(p, "id") })
	case "rf":
		return f.refund(ctx, id)
	case "rc":
		k, err := f.Store.GetClaim(ctx, id)
		if postgres.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return f.refund(ctx, k.RefundID)
	case "swp":
		s, err := f.Store.GetSwap(ctx, id)
		return seek(f, s, err, func(s db.Swap) FoundItem { return swapFound(s, "id") })
	case "sw":
		t, err := f.Store.TradeOfProvider(ctx, db.TradeOfProviderParams{Provider: exchange.ProviderName, IDProvider: id})
		return seek(f, t, err, func(t db.TradeOfProviderRow) FoundItem { return tradeFound(t.ID, t.Status, t.CreatedAt, "id") })
	case "pr":
		r, err := f.Store.GetPaymentRequest(ctx, id)
		return seek(f, r, err, func(r db.GetPaymentRequestRow) FoundItem {
			status := "active"
			if !r.PaymentRequest.Active {
				status = "inactive"
			}
			q := r.PaymentRequest
			return FoundItem{FoundPaymentRequest, q.ID, status, config.Mode(q.Mode), &q.MerchantID, "id", wire.TimeOf(q.CreatedAt)}
		})
	default:
		v, err := f.Store.AnyDelivery(ctx, id)
		return seek(f, v, err, func(v db.AnyDeliveryRow) FoundItem {
			return FoundItem{FoundDelivery, v.ID, v.Status, config.Mode(v.Mode), &v.MerchantID, "id", wire.TimeOf(v.CreatedAt)}
		})
	}
}

// byHexID finds a trade or a merchant.
func (f *finder) byHexID(ctx context.Context, id string) error {
	t, err := f.Store.GetTrade(ctx, id)
	if err := seek(f, t, err, func(t db.Trade) FoundItem { return tradeFound(t.ID, t.Status, t.CreatedAt, "id") }); err != nil {
		return err
	}
	m, err := f.Store.GetMerchant(ctx, id)
	return seek(f, m, err, func(m db.Merchant) FoundItem { return merchantFound(m, "id") })
}

func (f *finder) refund(ctx context.Context, id string) error {
	r, err := f.Store.GetRefund(ctx, id)
	return seek(f, r, err, func(r db.Refund) FoundItem {
		return FoundItem{FoundRefund, r.ID, r.Status, config.Live, &r.MerchantID, "id", wire.TimeOf(r.CreatedAt)}
	})
}

// hashBytes is the length of a transaction's hash.
const hashBytes = 32

// byTransaction finds what a transaction paid, ours or a customer's.
func (f *finder) byTransaction(ctx context.Context) error {
	hash := strings.ToLower(f.text)
	if raw, err := hex.DecodeString(hash); err != nil || len(raw) != hashBytes {
		return nil //nolint:nilerr // no hash
	}
	received, err := f.Store.ReceivedInTransaction(ctx, db.ReceivedInTransactionParams{TxHash: hash, MaxRows: MaxFound + 1})
	if err != nil {
		return err
	}
	for _, r := range received {
		if r.ChargeID == nil {
			f.add(FoundItem{FoundUnmatched, hash, unmatchedStatus(r), config.Mode(r.Mode), nil, "transaction", wire.TimeOf(r.FirstSeenAt)})
			continue
		}
		f.add(FoundItem{FoundCharge, *r.ChargeID, r.ChargeStatus, config.Mode(r.Mode), r.MerchantID, "transaction", wire.TimeOf(r.FirstSeenAt)})
	}
	deposits, err := f.Store.DepositsInTransaction(ctx, db.DepositsInTransactionParams{TxHash: hash, MaxRows: MaxFound + 1})
	if err != nil {
		return err
	}
	for _, r := range deposits {
		f.add(tradeFound(r.TradeID, r.Status, r.CreatedAt, "transaction"))
	}
	p, err := f.Store.PayoutByHash(ctx, hash)
	if err := seek(f, p, err, func(p db.Payout) FoundItem { return payoutFound(p, "transaction") }); err != nil {
		return err
	}
	return f.byOutgoing(ctx, hash)
}

func unmatchedStatus(r db.ReceivedInTransactionRow) string {
	if r.VanishedAt != nil {
		return "missing"
	}
	return "received"
}

// byOutgoing finds what a transaction of the service pays.
func (f *finder) byOutgoing(ctx context.Context, hash string) error {
	x, err := f.Store.OutgoingByHash(ctx, hash)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if x.PayoutID != nil {
		p, err := f.Store.GetPayout(ctx, *x.PayoutID)
		return seek(f, p, err, func(p db.Payout) FoundItem { return payoutFound(p, "transaction") })
	}
	trades, err := f.Store.TradesNamed(ctx, db.TradesNamedParams{Ids: x.TradeIds, MaxRows: MaxFound + 1})
	for _, t := range trades {
		f.add(tradeFound(t.ID, t.Status, t.CreatedAt, "transaction"))
	}
	if len(trades) == 0 {
		f.add(FoundItem{FoundTransaction, hash, x.Purpose + ", " + x.State, config.Live, nil, "transaction", wire.TimeOf(x.CreatedAt)})
	}
	return err
}

// byEmail finds the account with an email address.
func (f *finder) byEmail(ctx context.Context) error {
	if !strings.Contains(f.text, "@") {
		return nil
	}
	m, err := f.Store.GetMerchantByEmail(ctx, f.Index.Email(f.text))
	return seek(f, m, err, func(m db.Merchant) FoundItem { return merchantFound(m, "email") })
}

// byAddress finds what an address of the service, or a provider's, was given to.
func (f *finder) byAddress(ctx context.Context) error {
	charges, err := f.Store.ChargesAtAddress(ctx, f.text)
	if err != nil {
		return err
	}
	for _, r := range charges {
		f.add(FoundItem{FoundCharge, r.ChargeID, r.Status, config.Mode(r.Mode), orNull(r.MerchantID), "address", wire.TimeOf(r.CreatedAt)})
	}
	trades, err := f.Store.TradesAtAddress(ctx, db.TradesAtAddressParams{Address: f.text, MaxRows: MaxFound + 1})
	if err != nil {
		return err
	}
	for _, t := range trades {
		f.add(tradeFound(t.ID, t.Status, t.CreatedAt, "address"))
	}
	swaps, err := f.Store.SwapsAtAddress(ctx, db.SwapsAtAddressParams{Address: f.text, MaxRows: MaxFound + 1})
	for _, s := range swaps {
		f.add(swapFound(s, "address"))
	}
	return err
}

// byOrder finds the charges of an order, also pruned ones.
func (f *finder) byOrder(ctx context.Context) error {
	key := charge.OrderKey(f.text)
	charges, err := f.Store.ChargesOfOrder(ctx, db.ChargesOfOrderParams{OrderID: key, MaxRows: MaxFound + 1})
	if err != nil {
		return err
	}
	for _, r := range charges {
		f.add(FoundItem{FoundCharge, r.ID, r.Status, config.Mode(r.Mode), &r.MerchantID, "order", wire.TimeOf(r.CreatedAt)})
	}
	removed, err := f.Store.RemovedChargesOfOrder(ctx, db.RemovedChargesOfOrderParams{OrderID: key, MaxRows: MaxFound + 1})
	for _, r := range removed {
		f.add(FoundItem{FoundCharge, r.ChargeID, Removed, config.Mode(r.Mode), &r.MerchantID, "order", wire.TimeOf(r.CreatedAt)})
	}
	return err
}
