package mails

import (
	"context"
	"encoding/json"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
)

// findReceipt reads the mail with a charge's receipt. It is needless without an address: buyers'
// values are removed some time after the charge.
func (a *Handler) findReceipt(ctx context.Context, id string) (draft, error) {
	r, err := a.Store.GetReceipt(ctx, notice.ChargeOfReceipt(id))
	if err != nil {
		return draft{}, err
	}
	to := buyerEmail(r.Metadata)
	if r.SentAt == nil && (to == "" || r.ConfirmedAt == nil) {
		return draft{state: MailNeedless}, nil
	}
	return draftOf(a, r.ChargeID, r.SentAt, func() (notice.Message, error) { return a.receiptMail(id, to, r) }, a.Store.MarkReceiptSent), nil
}

func (a *Handler) receiptMail(id, to string, r db.GetReceiptRow) (notice.Message, error) {
	price := r.Amount.Fixed(2) //nolint:mnd // cents
	if r.Currency == string(money.XMR) {
		price = r.Amount.String()
	}
	return a.Templates.Receipt(notice.Receipt{
		ID: id, To: to, Language: r.Language, Shop: r.BusinessName, Item: r.Description, Contact: r.Contact,
		Price: price + " " + r.Currency, Received: r.Received.String() + " XMR", ConfirmedAt: *r.ConfirmedAt,
		Reference: r.ChargeID, Link: a.PublicURL + "/pay/" + r.ChargeID + "/receipt?lang=" + r.Language,
	})
}

// buyerEmail returns the address that a buyer gave; empty for none.
func buyerEmail(metadata string) string {
	var of struct {
		BuyerInfo map[string]string `json:"buyer_info"`
	}
	if json.Unmarshal([]byte(metadata), &of) != nil {
		return ""
	}
	email, err := account.ParseEmail(of.BuyerInfo[charge.EmailField])
	if err != nil {
		return ""
	}
	return email
}
