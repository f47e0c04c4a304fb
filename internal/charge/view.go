package charge

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// PaymentState is how much of the amount has arrived.
type PaymentState string

// The payment states.
const (
	Unpaid   PaymentState = "unpaid"
	Partial  PaymentState = "partial"
	Paid     PaymentState = "paid"
	Overpaid PaymentState = "overpaid"
)

// LinkState is whether the link of a charge is valid.
type LinkState string

// The link states.
const (
	LinkActive   LinkState = "active"
	LinkInactive LinkState = "inactive"
	LinkExpired  LinkState = "expired"
)

// PaymentView is one payment as the merchant sees it.
type PaymentView struct {
	TxHash        string         `json:"tx_hash" doc:"Transaction hash, 64 hex digits"`
	AmountXMR     money.Piconero `json:"amount_xmr" doc:"Amount in XMR that this transaction pays to the subaddress"`
	Confirmations int32          `json:"confirmations" doc:"Blocks that hold it, its own included; 0 in the pool"`
	Height        *int64         `json:"height" doc:"Block height; null while it is in the pool"`
	FirstSeenAt   wire.Time      `json:"first_seen_at" doc:"When the service first saw it"`
	UnlockHeight  int64          `json:"unlock_height,omitempty" doc:"Number of blocks of the chain before which its payer locked it: it counts no earlier. Only there for such a payment"`
	UnlockAt      *wire.Time     `json:"unlock_at,omitempty" doc:"Moment before which its payer locked it: it counts no earlier. Only there for such a payment"`
	Simulated     bool           `json:"simulated,omitempty" doc:"Made by the sandbox's operations: no coin moved. Only there when it is"`
}

// View is the full charge of the contract, as its merchant sees it and as
// webhooks carry it.
type View struct {
	ID                    string          `json:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	MerchantID            string          `json:"merchant_id" doc:"Merchant identifier, 32 hex digits"`
	Amount                money.Decimal   `json:"amount" doc:"Amount asked for, in currency"`
	Currency              money.Currency  `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	AmountXMR             money.Piconero  `json:"amount_xmr" doc:"Amount in XMR, locked at creation"`
	Subaddress            string          `json:"subaddress" doc:"Receiving Monero address, unique to the charge"`
	SubaddressAccount     int32           `json:"subaddress_account" doc:"Account of the wallet that has the address: 0 for hosted money, and from 10 on in a shop's own wallet unless it chose another"`
	SubaddressIndex       int32           `json:"subaddress_index" doc:"Index in that account"`
	Status                Status          `json:"status" enum:"pending,confirmed,expired" doc:"State of the charge"`
	Confirmations         int32           `json:"confirmations" doc:"Lowest count among the payments needed to reach amount_xmr, or among all while the sum is short"`
	ConfirmationsRequired int32           `json:"confirmations_required" doc:"Blocks that a payment needs before it counts; its lock must have passed as well"`
	Metadata              json.RawMessage `json:"metadata" doc:"As sent at creation, digit for digit"`
	CreatedAt             wire.Time       `json:"created_at" doc:"Creation"`
	ExpiresAt             wire.Time       `json:"expires_at" doc:"Payment timeout. When the full amount is first seen before it, it is moved once, by two hours unless configured otherwise"`
	ConfirmedAt           *wire.Time      `json:"confirmed_at" doc:"Confirmation; null before"`
	Active                bool            `json:"active" doc:"Whether the link is switched on"`
	LinkState             LinkState       `json:"link_state" enum:"active,inactive,expired" doc:"State of the link"`
	LinkExpiresAt         *wire.Time      `json:"link_expires_at" doc:"Link expiration; null when none was asked for"`
	PaymentURL            string          `json:"payment_url" doc:"Hosted payment page"`
	PaymentURI            string          `json:"payment_uri" doc:"monero: URI with what is due; without an amount when nothing is"`
	AmountReceivedXMR     money.Piconero  `json:"amount_received_xmr" doc:"Sum of all payments seen, in XMR, locked ones too"`
	AmountDueXMR          money.Piconero  `json:"amount_due_xmr" doc:"What is still missing, in XMR"`
	PaymentState          PaymentState    `json:"payment_state" enum:"unpaid,partial,paid,overpaid" doc:"How much has arrived"`
	Late                  bool            `json:"late" doc:"Paid after the payment timeout"`
	UnderpaidAcceptedAt   *wire.Time      `json:"underpaid_accepted_at" doc:"When the merchant took less than amount_xmr; null otherwise"`
	Marked                *Mark           `json:"marked" doc:"What the merchant said of it by hand, settled or invalid; null otherwise"`
	Payments              []PaymentView   `json:"payments" doc:"Payments seen, oldest first"`
	Description           *string         `json:"description" doc:"Text shown to the customer"`
	ReturnURL             *string         `json:"return_url" doc:"Where the page's return button leads"`
	Fields                []string        `json:"fields" doc:"Buyer fields that the page asks for"`
	Source                Source          `json:"source" enum:"api,button,payment_request" doc:"How the charge was made"`
	PaymentRequestID      *string         `json:"payment_request_id" doc:"Payment request it belongs to"`
	PayoutID              *string         `json:"payout_id" doc:"Payout that swept it; null before"`
	Sandbox               bool            `json:"sandbox" doc:"Made with a sandbox key"`
	XMRRate               *money.Decimal  `json:"xmr_rate" doc:"Fiat per XMR at creation; null for XMR charges"`
	RateAt                *wire.Time      `json:"rate_at" doc:"Age of xmr_rate"`
}

// PublicView contains only what a customer needs to pay: no merchant id, metadata,
// subaddress index, transaction hash or buyer value.
type PublicView struct {
	ID                    string         `json:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	Amount                money.Decimal  `json:"amount" doc:"Amount asked for, in currency"`
	Currency              money.Currency `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	AmountXMR             money.Piconero `json:"amount_xmr" doc:"Amount in XMR, locked at creation"`
	Subaddress            string         `json:"subaddress" doc:"Receiving Monero address"`
	Status                Status         `json:"status" enum:"pending,confirmed,expired" doc:"State of the charge"`
	Confirmations         int32          `json:"confirmations" doc:"Lowest count among the payments needed"`
	ConfirmationsRequired int32          `json:"confirmations_required" doc:"Blocks that a payment needs"`
	CreatedAt             wire.Time      `json:"created_at" doc:"Creation"`
	ExpiresAt             wire.Time      `json:"expires_at" doc:"Payment timeout. When the full amount is first seen before it, it is moved once, by two hours unless configured otherwise"`
	ConfirmedAt           *wire.Time     `json:"confirmed_at" doc:"Confirmation; null before"`
	Description           *string        `json:"description" doc:"Text shown to the customer"`
	ReturnURL             *string        `json:"return_url" doc:"Where the page's return button leads"`
	Active                bool           `json:"active" doc:"Whether the link is switched on"`
	LinkState             LinkState      `json:"link_state" enum:"active,inactive,expired" doc:"State of the link"`
	LinkExpiresAt         *wire.Time     `json:"link_expires_at" doc:"Link expiration; null when none was asked for"`
	AmountReceivedXMR     money.Piconero `json:"amount_received_xmr" doc:"Sum of all payments seen, in XMR, locked ones too"`
	AmountDueXMR          money.Piconero `json:"amount_due_xmr" doc:"What is still missing, in XMR"`
	PaymentState          PaymentState   `json:"payment_state" enum:"unpaid,partial,paid,overpaid" doc:"How much has arrived"`
	Late                  bool           `json:"late" doc:"Paid after the payment timeout"`
	PaymentURI            string         `json:"payment_uri" doc:"monero: URI with what is due; without an amount when nothing is"`
	PaymentURL            string         `json:"payment_url" doc:"Hosted payment page"`
	Fields                []string       `json:"fields" doc:"Buyer fields that the page asks for"`
}

// ViewOf returns the charge as its merchant sees it, given the facts at that moment.
// publicURL is the service's base URL without a trailing slash.
func ViewOf(c Charge, f Facts, publicURL string) View {
	p := PublicViewOf(c, f, publicURL)
	v := View{
		ID: p.ID, MerchantID: c.MerchantID, Amount: p.Amount, Currency: p.Currency, AmountXMR: p.AmountXMR,
		Subaddress: p.Subaddress, Status: p.Status,
		Confirmations: p.Confirmations, ConfirmationsRequired: p.ConfirmationsRequired, Metadata: c.Metadata,
		CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt, ConfirmedAt: p.ConfirmedAt, Active: p.Active,
		LinkState: p.LinkState, LinkExpiresAt: p.LinkExpiresAt, PaymentURL: p.PaymentURL, PaymentURI: p.PaymentURI,
		AmountReceivedXMR: p.AmountReceivedXMR, AmountDueXMR: p.AmountDueXMR, PaymentState: p.PaymentState,
		Late: p.Late, Payments: paymentViews(c, f), Description: p.Description, ReturnURL: p.ReturnURL,
		Fields: p.Fields, Source: c.Source, PaymentRequestID: c.PaymentRequestID, PayoutID: c.PayoutID,
		Sandbox: c.Sandbox, XMRRate: c.XMRRate, RateAt: wire.TimeOrNil(c.RateAt),
		UnderpaidAcceptedAt: wire.TimeOrNil(c.UnderpaidAcceptedAt),
	}
	v.SubaddressAccount, v.SubaddressIndex = PositionOf(c.SubaddressIndex)
	if c.Mark != Unmarked {
		v.Marked = &c.Mark
	}
	return v
}

// PublicViewOf returns the charge as its customer sees it.
func PublicViewOf(c Charge, f Facts, publicURL string) PublicView {
	got := sumOf(f.Payments, func(Payment) bool { return true })
	fields := c.Fields
	if fields == nil {
		fields = []string{}
	}
	return PublicView{
		ID: c.ID, Amount: c.Amount, Currency: c.Currency, AmountXMR: c.AmountXMR, Subaddress: c.Subaddress,
		Status: c.Status, Confirmations: Confirmations(c, f), ConfirmationsRequired: c.ConfirmationsRequired,
		CreatedAt: wire.TimeOf(c.CreatedAt), ExpiresAt: wire.TimeOf(c.ExpiresAt),
		ConfirmedAt: wire.TimeOrNil(c.ConfirmedAt), Description: c.Description, ReturnURL: c.ReturnURL,
		Active: c.LinkActive, LinkState: LinkStateAt(c, f.Now), LinkExpiresAt: wire.TimeOrNil(c.LinkExpiresAt),
		AmountReceivedXMR: got, AmountDueXMR: c.AmountXMR.SubFloor(got), PaymentState: paymentState(c, got),
		Late: c.Late, PaymentURI: PaymentURI(c.Subaddress, c.AmountXMR.SubFloor(got)), PaymentURL: publicURL + "/pay/" + c.ID,
		Fields: fields,
	}
}

// PaymentURI returns the monero: URI that wallets open. It contains the amount due,
// unless that is 0.
func PaymentURI(address string, due money.Piconero) string {
	if due == 0 {
		return "monero:" + address
	}
	return "monero:" + address + "?tx_amount=" + due.String()
}

// Limits of the texts in a monero: URI, in bytes once they are escaped. They keep its QR code
// easy to scan.
const (
	maxURIName = 60
	maxURIText = 120
)

// NamedURI returns PaymentURI with the recipient's name and a description, which wallets show and
// keep with the payment. It cuts both at their limits, and leaves out an empty one.
func NamedURI(address string, due money.Piconero, name, text string) string {
	uri, before := PaymentURI(address, due), "?"
	if due > 0 {
		before = "&"
	}
	for _, p := range []struct {
		key, text string
		limit     int
	}{{"recipient_name", name, maxURIName}, {"tx_description", text, maxURIText}} {
		if value := escapedTo(p.text, p.limit); value != "" {
			uri, before = uri+before+p.key+"="+value, "&"
		}
	}
	return uri
}

// escapedTo escapes as much of a text as fits into a number of bytes. White space becomes single
// spaces.
func escapedTo(text string, limit int) string {
	var b strings.Builder
	for _, r := range strings.Join(strings.Fields(text), " ") {
		part := strings.ReplaceAll(url.QueryEscape(string(r)), "+", "%20")
		if b.Len()+len(part) > limit {
			break
		}
		b.WriteString(part)
	}
	return strings.TrimSuffix(b.String(), "%20")
}

// LinkStateAt returns the link's state at a moment.
func LinkStateAt(c Charge, now time.Time) LinkState {
	switch {
	case !c.LinkActive:
		return LinkInactive
	case c.LinkExpiresAt != nil && !now.Before(*c.LinkExpiresAt):
		return LinkExpired
	default:
		return LinkActive
	}
}

// Unpayable reports whether the public link answers 410: the link is inactive or
// expired, or another charge of the same single-use request is paid. A charge with a
// payment that was seen stays payable.
func Unpayable(c Charge, f Facts) bool {
	return (LinkStateAt(c, f.Now) != LinkActive || f.Rival == RivalPaid) && len(f.Payments) == 0 && c.SeenAt == nil
}

// Confirmations returns the lowest count among the payments needed to reach the
// amount, the deepest first, or among all payments while the sum is short.
func Confirmations(c Charge, f Facts) int32 {
	if len(f.Payments) == 0 {
		return 0
	}
	deepest := slices.Clone(f.Payments)
	slices.SortStableFunc(deepest, func(a, b Payment) int {
		return int(b.Confirmations(f.ChainHeight)) - int(a.Confirmations(f.ChainHeight))
	})
	var sum money.Piconero
	for _, p := range deepest {
		if sum = addSaturated(sum, p.Amount); sum >= c.ConfirmFrom {
			return p.Confirmations(f.ChainHeight)
		}
	}
	return deepest[len(deepest)-1].Confirmations(f.ChainHeight)
}

func paymentState(c Charge, got money.Piconero) PaymentState {
	switch {
	case got == 0:
		return Unpaid
	case got < c.ConfirmFrom:
		return Partial
	case got > c.AmountXMR:
		return Overpaid
	default:
		return Paid
	}
}

func paymentViews(c Charge, f Facts) []PaymentView {
	views := make([]PaymentView, 0, len(f.Payments))
	for _, p := range f.Payments {
		views = append(views, PaymentView{
			TxHash: p.TxHash, AmountXMR: p.Amount, Confirmations: p.Confirmations(f.ChainHeight),
			Height: p.Height, FirstSeenAt: wire.TimeOf(p.FirstSeenAt), Simulated: IsSimulated(c.WalletID),
			UnlockHeight: p.UnlockHeight, UnlockAt: wire.TimeOrNil(p.UnlockAt),
		})
	}
	return views
}

// blockTime is how long a block takes on average. It only orders locks until a block
// among locks until a moment.
const blockTime = 2 * time.Minute

// LockedBy returns the payment whose payer's lock ends last among those that the charge
// needs; nil when it waits for no lock. Payments with earlier ends come first, so a locked
// one that pays nothing needed is not named.
func LockedBy(c Charge, f Facts) *Payment {
	list := slices.DeleteFunc(slices.Clone(f.Payments), func(p Payment) bool { return !mayCount(c, p) })
	slices.SortStableFunc(list, func(p, q Payment) int { return lockEnd(c, f, p).Compare(lockEnd(c, f, q)) })
	var sum money.Piconero
	for _, p := range list {
		if sum = addSaturated(sum, p.Amount); sum >= c.ConfirmFrom {
			if lockEnd(c, f, p).After(f.Now) {
				return &p
			}
			return nil
		}
	}
	return nil
}

// lockEnd estimates when a payment's lock ends: now for one that its confirmations outlast.
func lockEnd(c Charge, f Facts, p Payment) time.Time {
	if p.Mature {
		return f.Now
	}
	deep := f.ChainHeight
	if p.Height != nil {
		deep = *p.Height
	}
	end := f.Now
	if deep = max(f.ChainHeight, deep+int64(c.ConfirmationsRequired)); p.UnlockHeight > deep {
		// A height may be far beyond what a duration holds: 100 years of blocks are enough.
		end = end.Add(time.Duration(min(p.UnlockHeight-deep, 100*365*720)) * blockTime)
	}
	if p.UnlockAt != nil && p.UnlockAt.After(end) {
		end = *p.UnlockAt
	}
	return end
}
