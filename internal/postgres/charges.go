package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

// ChargeFacts is a charge with the facts about it on the chain.
type ChargeFacts struct {
	Charge charge.Charge
	Facts  charge.Facts
}

// HostedCharge is a charge for its hosted page.
type HostedCharge struct {
	ChargeFacts
	// BusinessName and Contact are the merchant's. Contact may be empty.
	BusinessName, Contact string
	// NamesInLinks and MailsReceipts are settings of the merchant.
	NamesInLinks, MailsReceipts bool
	// Unwatched reports whether the charge's wallet was not scanned for UnwatchedAfter.
	Unwatched bool
}

// UnwatchedAfter is how long after its last scan a wallet counts as not watched.
const UnwatchedAfter = 30 * time.Second

// Charge reads one charge and its payments. It returns ErrNotFound if there is none.
func (s *Store) Charge(ctx context.Context, id string, now time.Time) (ChargeFacts, error) {
	row, err := s.GetCharge(ctx, id)
	if err != nil {
		return ChargeFacts{}, notFound(err)
	}
	return factsOf(row.Charge, row.ChainHeight, row.Payments, now)
}

// ChargePage reads a charge for its hosted page.
func (s *Store) ChargePage(ctx context.Context, id string, now time.Time) (HostedCharge, error) {
	row, err := s.GetChargePage(ctx, db.GetChargePageParams{ID: id, ScannedSince: now.Add(-UnwatchedAfter)})
	if err != nil {
		return HostedCharge{}, notFound(err)
	}
	facts, err := factsOf(row.Charge, row.ChainHeight, row.Payments, now)
	facts.Facts.Rival = charge.Rival(row.Rival)
	return HostedCharge{
		ChargeFacts: facts, BusinessName: row.BusinessName, Contact: row.Contact,
		NamesInLinks: row.NamesInLinks, MailsReceipts: row.MailsReceipts, Unwatched: row.Unwatched,
	}, err
}

// Charges lists a merchant's newest charges of one mode. With orderID it lists only the
// charges of that order.
func (s *Store) Charges(ctx context.Context, merchantID string, mode config.Mode, orderID *string, limit int32, now time.Time) ([]ChargeFacts, error) {
	if orderID != nil {
		rows, err := s.ListChargesByOrder(ctx, db.ListChargesByOrderParams{
			MerchantID: merchantID, Mode: string(mode), Limit: limit, OrderID: *orderID,
		})
		if err != nil {
			return nil, fmt.Errorf("list charges: %w", err)
		}
		return chargesOf(rows, now)
	}
	rows, err := s.ListCharges(ctx, db.ListChargesParams{MerchantID: merchantID, Mode: string(mode), Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("list charges: %w", err)
	}
	return chargesOf(rows, now)
}

// PublicCharge reads the fields of a charge that its customer may see; no other fields of
// the charge and its payments are set. It returns ErrNotFound if there is none.
func (s *Store) PublicCharge(ctx context.Context, id string, now time.Time) (ChargeFacts, error) {
	r, err := s.GetPublicCharge(ctx, id)
	if err != nil {
		return ChargeFacts{}, notFound(err)
	}
	list, err := paymentsOf(r.Payments)
	if err != nil {
		return ChargeFacts{}, err
	}
	var height int64
	if len(list) > 0 {
		height = list[0].ChainHeight
	}
	facts, err := chainFacts(height, list, now)
	facts.Rival = charge.Rival(r.Rival)
	return ChargeFacts{Charge: charge.Charge{
		ID: r.ID, Amount: r.Amount, Currency: money.Currency(r.Currency), AmountXMR: r.AmountPiconero, ConfirmFrom: r.ConfirmFromPiconero,
		Subaddress: r.Subaddress, Status: charge.Status(r.Status), ConfirmationsRequired: r.ConfirmationsRequired, CreatedAt: r.CreatedAt,
		ExpiresAt: r.ExpiresAt, SeenAt: r.SeenAt, ConfirmedAt: r.ConfirmedAt, Description: r.Description, ReturnURL: r.ReturnUrl,
		Fields: r.Fields, LinkActive: r.LinkActive, LinkExpiresAt: r.LinkExpiresAt, Late: r.Late,
	}, Facts: facts}, err
}

func chargesOf[R db.GetChargesRow | db.ListChargesRow | db.ListChargesByOrderRow](rows []R, now time.Time) ([]ChargeFacts, error) {
	list := make([]ChargeFacts, len(rows))
	for i, row := range rows {
		var err error
		r := db.GetChargesRow(row)
		if list[i], err = factsOf(r.Charge, r.ChainHeight, r.Payments, now); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func notFound(err error) error {
	if IsNotFound(err) {
		return ErrNotFound
	}
	return err
}

// paymentJSON is one of the payments that the queries return with a charge, in any order.
type paymentJSON struct {
	ID          int64     `json:"id"`
	TxHash      string    `json:"tx_hash"`
	Amount      string    `json:"amount"`
	Height      *int64    `json:"height"`
	Mature      bool      `json:"mature"`
	FirstSeenAt time.Time `json:"first_seen_at"`
	Fresh       bool      `json:"fresh"`
	// UnlockHeight is 0 and UnlockAt is nil for a payment that its payer did not lock.
	UnlockHeight int64      `json:"unlock_height"`
	UnlockAt     *time.Time `json:"unlock_at"`
	// ChainHeight is set for the payments of a public charge.
	ChainHeight int64 `json:"chain_height"`
}

func factsOf(row db.Charge, chainHeight int64, payments [][]byte, now time.Time) (ChargeFacts, error) {
	list, err := paymentsOf(payments)
	if err != nil {
		return ChargeFacts{}, err
	}
	facts, err := chainFacts(chainHeight, list, now)
	return ChargeFacts{Charge: ChargeOf(row), Facts: facts}, err
}

// paymentsOf reads the payments, the oldest first. It sorts them itself because most
// charges have none or one, and the database would start a sort for each charge.
func paymentsOf(texts [][]byte) ([]paymentJSON, error) {
	list := make([]paymentJSON, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal(text, &list[i]); err != nil {
			return nil, fmt.Errorf("payments of a charge: %w", err)
		}
	}
	slices.SortFunc(list, func(a, b paymentJSON) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

func chainFacts(chainHeight int64, list []paymentJSON, now time.Time) (charge.Facts, error) {
	facts := charge.Facts{ChainHeight: chainHeight, Now: now}
	for _, p := range list {
		var amount money.Piconero
		if err := amount.Scan(p.Amount); err != nil {
			return charge.Facts{}, err
		}
		facts.Payments = append(facts.Payments, charge.Payment{
			TxHash: p.TxHash, Amount: amount, Height: p.Height, Mature: p.Mature, FirstSeenAt: p.FirstSeenAt,
			UnlockHeight: p.UnlockHeight, UnlockAt: p.UnlockAt,
		})
	}
	return facts, nil
}

// FactsOf converts the facts of a charge that is about to be advanced. They include
// payments that are not shown yet. newest is the ID of the last of these; 0 if there are
// none.
func FactsOf(row db.ChargeFactsRow, now time.Time) (facts charge.Facts, newest int64, err error) {
	list, err := paymentsOf(row.Payments)
	if err != nil {
		return charge.Facts{}, 0, err
	}
	for _, p := range list {
		if p.Fresh {
			newest = max(newest, p.ID)
		}
	}
	facts, err = chainFacts(row.ChainHeight, list, now)
	return facts, newest, err
}

func stringOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// ChargeOf converts a row to the domain's charge.
func ChargeOf(r db.Charge) charge.Charge {
	return charge.Charge{
		ID: r.ID, MerchantID: r.MerchantID, Sandbox: r.Mode == string(config.Sandbox),
		Source: charge.Source(r.Source), PaymentRequestID: r.PaymentRequestID, WalletID: r.WalletID,
		SubaddressIndex: r.SubaddressIndex, Subaddress: r.Subaddress, Amount: r.Amount,
		Currency: money.Currency(r.Currency), AmountXMR: r.AmountPiconero, XMRRate: r.XmrRate, RateAt: r.RateAt,
		ConfirmFrom: r.ConfirmFromPiconero, ConfirmationsRequired: r.ConfirmationsRequired,
		Status: charge.Status(r.Status), CreatedAt: r.CreatedAt, ExpiresAt: r.ExpiresAt, Extended: r.Extended,
		SeenAt: r.SeenAt, ConfirmedAt: r.ConfirmedAt, Late: r.Late, Unbacked: r.Unbacked, PayoutID: r.PayoutID,
		Metadata: json.RawMessage(r.Metadata), Description: r.Description, ReturnURL: r.ReturnUrl,
		Fields: r.Fields, LinkActive: r.LinkActive, LinkExpiresAt: r.LinkExpiresAt,
		UnderpaidAcceptedAt: r.UnderpaidAcceptedAt, Mark: charge.Mark(stringOf(r.Mark)), CountsUntil: r.CountsUntil, Checkout: r.Checkout,
	}
}

// NewCharge returns the charge of a row that is being inserted: the same as reading the
// row would return.
func NewCharge(p db.InsertChargeParams) charge.Charge {
	return ChargeOf(db.Charge{
		ID: p.ID, MerchantID: p.MerchantID, Mode: p.Mode, Source: p.Source, PaymentRequestID: p.PaymentRequestID, WalletID: p.WalletID,
		SubaddressIndex: p.SubaddressIndex, Subaddress: p.Subaddress, Amount: p.Amount, Currency: p.Currency, AmountPiconero: p.AmountPiconero,
		ConfirmFromPiconero: p.ConfirmFromPiconero, XmrRate: p.XmrRate, RateAt: p.RateAt, ConfirmationsRequired: p.ConfirmationsRequired,
		Status: string(charge.Pending), Metadata: p.Metadata, Description: p.Description, ReturnUrl: p.ReturnUrl, Fields: p.Fields,
		LinkActive: true, LinkExpiresAt: p.LinkExpiresAt, CreatedAt: p.CreatedAt, ExpiresAt: p.ExpiresAt, CountsUntil: p.CountsUntil,
		Checkout: p.Checkout,
	})
}

// SharedRequest is a payment request with the merchant's data that its link
// shows.
type SharedRequest struct {
	Request               charge.Request
	BusinessName, Contact string
	// MailsReceipts is a setting of the merchant.
	MailsReceipts bool
	// Suspended reports whether the merchant may not take payments.
	Suspended bool
}

// PaymentRequest reads one payment request. It returns ErrNotFound if there is
// none.
func (s *Store) PaymentRequest(ctx context.Context, id string) (SharedRequest, error) {
	row, err := s.GetPaymentRequest(ctx, id)
	if err != nil {
		return SharedRequest{}, notFound(err)
	}
	return SharedRequest{
		Request: RequestOf(row.PaymentRequest), BusinessName: row.BusinessName, Contact: row.Contact, MailsReceipts: row.MailsReceipts,
		Suspended: row.Suspended,
	}, nil
}

// RequestOf converts a row to the domain's payment request.
func RequestOf(r db.PaymentRequest) charge.Request {
	return charge.Request{
		ID: r.ID, MerchantID: r.MerchantID, Sandbox: r.Mode == string(config.Sandbox), Amount: r.Amount,
		Currency: money.Currency(r.Currency), Description: r.Description, Reference: r.Reference, SingleUse: r.SingleUse,
		Fields: r.Fields, Required: r.RequiredFields, ExpiresAt: r.ExpiresAt, Active: r.Active, CompletedPayments: r.CompletedPayments,
		ConsumedAt: r.ConsumedAt, CreatedAt: r.CreatedAt,
	}
}
