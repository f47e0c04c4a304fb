// Package pullpayments is the room for refunds, which are pull payments, and for their claims,
// which are payouts: the routes for stores, and those for buyers who have the identifier of a
// pull payment.
//
// On this surface, knowing the identifier of a pull payment is enough to claim it. So the
// identifier is the refund's own identifier, a dash, and the secret of its link. A key that
// may not see links gets only the refund's identifier, which allows no claim.
package pullpayments

import (
	"net/http"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	internalpayout "github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
)

// Handler answers requests about pull payments and payouts.
type Handler struct{ Links service.RefundLinks }

// StorePath names a store. It is exported, like the types below, because Huma does not read
// parameters of unexported embedded types.
type StorePath struct {
	StoreID string `path:"storeId" doc:"Store: the merchant's identifier"`
}

// InvoicePath names an invoice in a store.
type InvoicePath struct {
	StorePath
	InvoiceID string `path:"invoiceId" doc:"Invoice: the charge's identifier" example:"ch_0123456789abcdef01234567"`
}

// PullPath names a pull payment with its secret.
type PullPath struct {
	PullPaymentID string `path:"pullPaymentId" doc:"Pull payment, with the secret of its link"`
}

// PullInStore names a pull payment in a store.
type PullInStore struct {
	StorePath
	PullPaymentID string `path:"pullPaymentId" doc:"Pull payment; its secret is not needed here"`
}

// PayoutPath names a payout of a pull payment.
type PayoutPath struct {
	PullPath
	PayoutID string `path:"payoutId" doc:"Payout: the claim's identifier" example:"rc_0123456789abcdef01234567"`
}

// PayoutInStore names a payout in a store.
type PayoutInStore struct {
	StorePath
	PayoutID string `path:"payoutId" doc:"Payout: the claim's identifier" example:"rc_0123456789abcdef01234567"`
}

// Register adds the routes.
func (h *Handler) Register(api dialect.API) {
	h.registerCreate(api)
	h.registerStore(api)
	h.registerPayouts(api)
	h.registerPublic(api)
}

// Resources that may not be found, named as in BTCPay's codes.
const (
	noPull    = "pullpayment"
	noPayout  = "payout"
	noInvoice = "invoice"
)

// missing converts a not-found error to this surface's format. It passes what on to
// dialect.NotFound.
func missing(err error, what string) error {
	if p := httpapi.Told(err); p != nil && p.Status == http.StatusNotFound {
		return dialect.NotFound(what)
	}
	return err
}

// stands converts an error about a resource's state to this surface's format.
func stands(err error) error {
	if p := httpapi.Told(err); p != nil && p.Status == http.StatusBadRequest {
		return dialect.InvalidState("%s", p.Text)
	}
	return err
}

// inSandbox reports whether a key is of the sandbox, which has no refunds.
func inSandbox(caller access.Key) bool { return caller.Mode == config.Sandbox }

// parseID returns the refund and the secret of an identifier of this surface. The secret is
// empty if there is none.
func parseID(id string) (refundID, token string) {
	refundID, token, _ = strings.Cut(id, "-")
	return refundID, token
}

// linked returns the identifier of a refund, with the secret of its link if that is known.
func linked(r refund.Refunded) string {
	if r.Link == nil {
		return r.ID
	}
	return r.ID + "-" + (*r.Link)[strings.LastIndex(*r.Link, "/")+1:]
}

const exampleID = "rf_0123456789abcdef01234567"

func examplePull() any {
	return map[string]any{
		"name": "Refund of order A-1001", "description": "Sent back", "amount": "49.90", "currency": "USD", "autoApproveClaims": false,
		"paymentMethods": []string{},
	}
}

func exampleNewRefund() any {
	return map[string]any{"name": "Refund of order A-1001", "refundVariant": "RateThen", "subtractPercentage": "5"}
}

func exampleNewPayout() any {
	return map[string]any{"destination": example.Address, "amount": "49.90", "payoutMethodId": "XMR-CHAIN"}
}

func exampleRefund() refund.Refunded {
	at, fiat, usd := wire.TimeOf(example.Time()), money.MustDecimal("49.9"), money.USD
	link := example.URL + "/refund/" + exampleID + "/" + example.Secret
	return refund.Refunded{
		ID: exampleID, AmountXMR: 305_161_448_141, FiatAmount: &fiat, FiatCurrency: &usd, Name: "Refund of order A-1001", Description: "Sent back",
		Link: &link, CreatedAt: at, ExpiresAt: wire.TimeOf(example.Time().Add(refund.DefaultLife)),
	}
}

func examplePayout() payout {
	waits := refund.ForMoney.Text()
	r := exampleRefund()
	return payoutOf(r, refund.ClaimState{
		ID: "rc_0123456789abcdef01234567", Status: refund.AwaitingPayment, AmountXMR: r.AmountXMR, WaitsText: &waits,
		Address: internalpayout.MaskAddress(example.Address), CreatedAt: r.CreatedAt,
	})
}
