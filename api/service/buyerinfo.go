package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

// BuyerInfoKey is the reserved key of metadata that holds a buyer's values.
const BuyerInfoKey = "buyer_info"

// ErrBuyerInfo refuses metadata whose value of BuyerInfoKey is not an object. Programs that read
// a charge find the buyer's values there.
var ErrBuyerInfo = errors.New("metadata.buyer_info is reserved for the buyer's values and must be an object")

// Receipts says how buyers get receipts. Mails is set when a mail server is configured. Language is
// that of the page on which the buyer gave an address; empty for English.
type Receipts struct {
	Mails    bool
	Language string
}

// SaveBuyerInfo stores a buyer's values under the reserved key and leaves the rest of the
// metadata unchanged. It locks the charge meanwhile, so that the charge cannot be confirmed
// between the check and the change. Empty values change nothing. Values without one that the payment
// request of the charge requires are refused (400), because they would replace it. A buyer who gives an
// email address gets a receipt once the charge is confirmed.
func SaveBuyerInfo(ctx context.Context, store *postgres.Store, id string, values map[string]string, receipts Receipts) error {
	return store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.LockCharge(ctx, id)
		if err != nil {
			return httpapi.Missing(err, httpapi.NotFound("charge"))
		}
		if err := charge.CheckBuyerInfo(postgres.ChargeOf(row), values); err != nil {
			return httpapi.BadRequest("%s", err)
		}
		if len(values) == 0 {
			return nil
		}
		if err := checkRequired(ctx, q, row.PaymentRequestID, values); err != nil {
			return err
		}
		text, err := WithBuyerInfo(row.Metadata, values)
		if err != nil {
			return err
		}
		if err := q.SetBuyerInfo(ctx, db.SetBuyerInfoParams{ID: id, Metadata: text}); err != nil || !receipts.Mails {
			return err
		}
		if _, err := account.ParseEmail(values[charge.EmailField]); err != nil {
			return nil //nolint:nilerr // no address to mail to
		}
		return q.PutReceipt(ctx, db.PutReceiptParams{ChargeID: id, Language: notice.ReceiptLanguage(receipts.Language)})
	})
}

// checkRequired returns 400 if a value is missing that a payment request requires. A charge of none, or
// of one that was deleted, requires nothing.
func checkRequired(ctx context.Context, q *db.Queries, request *string, values map[string]string) error {
	if request == nil {
		return nil
	}
	found, err := q.GetPaymentRequest(ctx, *request)
	if err != nil && !postgres.IsNotFound(err) {
		return err
	}
	if err := charge.CheckRequiredValues(found.PaymentRequest.RequiredFields, values); err != nil {
		return httpapi.BadRequest("%s", err)
	}
	return nil
}

// WithBuyerInfo returns metadata with a buyer's values under the reserved key. It returns 400 if
// the result exceeds the maximum size of metadata.
func WithBuyerInfo(metadata string, values map[string]string) (string, error) {
	members, err := wire.Members([]byte(metadata))
	if err != nil {
		return "", err
	}
	text := wire.Object(append(wire.Without(members, BuyerInfoKey), wire.Member{Name: BuyerInfoKey, Value: wire.Value(values)}))
	if len(text) > httpapi.MaxBody {
		return "", httpapi.BadRequest("the details are too long")
	}
	return text, nil
}

// FieldNames are names of buyer fields, sent as a list or as one text with commas.
type FieldNames []string

// UnmarshalJSON reads either form.
func (f *FieldNames) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*f = charge.SplitFields(text)
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(f))
}

// Schema describes both forms.
func (FieldNames) Schema(huma.Registry) *huma.Schema {
	most := charge.MaxFields
	return &huma.Schema{
		Description: "Buyer fields that the page asks for: at most 10 names of at most 50 characters out of a-z, 0-9 and _; " +
			"a list, or one text with commas",
		OneOf: []*huma.Schema{
			{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, MaxItems: &most},
			{Type: huma.TypeString},
		},
	}
}

// FormAnswer is JSON for a program, and a redirect to a page for an HTML form.
type FormAnswer[T any] struct {
	Status   int
	Location string `header:"Location"`
	Body     any
}

// ToPage redirects a form to the page of a charge, and answers any other request with JSON.
func ToPage[T any](ctx context.Context, chargeID string, v T) *FormAnswer[T] {
	if sent, ok := httpapi.FormOf(ctx); ok {
		return &FormAnswer[T]{Status: http.StatusSeeOther, Location: pages.PathOf(chargeID, sent.Lang), Body: []byte(nil)}
	}
	return &FormAnswer[T]{Status: http.StatusOK, Body: v}
}
