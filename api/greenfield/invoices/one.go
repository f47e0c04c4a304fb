package invoices

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/durapay/durapay/api/greenfield/exact"
	"github.com/durapay/durapay/api/greenfield/route"
	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/scopedkey"
)

// Paths of an invoice, with its store and without.
const (
	pathInStore = "/api/v1/stores/{storeId}/invoices/{invoiceId}"
	pathAlone   = "/api/v1/invoices/{invoiceId}"
)

// names is implemented by inputs that name an invoice.
type names[I any] interface {
	*I
	invoice() string
}

func (h *Handler) registerOne(api route.API) {
	get := route.Route{
		ID: "Invoices_GetInvoice", Method: http.MethodGet, Path: pathInStore, Tag: route.TagInvoices, Permission: scopedkey.ViewInvoices,
		Summary: "Get an invoice", Text: "Charges that were made otherwise are invoices too.", Errors: []int{http.StatusNotFound}, Response: h.example(),
	}
	route.WithKey(api, get, getInvoice[InStore](h))
	route.WithKey(api, withoutStore(get), getInvoice[Alone](h))
	methods := route.Route{
		ID: "Invoices_GetInvoicePaymentMethods", Method: http.MethodGet, Path: pathInStore + "/payment-methods", Tag: route.TagInvoices,
		Permission: scopedkey.ViewInvoices, Summary: "Get how an invoice is paid, and its payments",
		Text:   "One: XMR-CHAIN, under the names of BTCPay 1.x and 2.x.",
		Errors: []int{http.StatusNotFound}, Response: []invoicePaymentMethod{methodOf(exampleCharge())},
	}
	route.WithKey(api, methods, getMethods[InStore](h))
	route.WithKey(api, withoutStore(methods), getMethods[Alone](h))
}

// withoutStore returns the variant of a route for the store of the key.
func withoutStore(r route.Route) route.Route {
	r.ID += "WithoutStore"
	r.Path = pathAlone + r.Path[len(pathInStore):]
	r.Text += " The store is that of the key."
	return r
}

func getInvoice[I any, P names[I]](h *Handler) func(context.Context, auth.Key, *I) (*answer.Out[invoiceData], error) {
	return func(ctx context.Context, caller auth.Key, in *I) (*answer.Out[invoiceData], error) {
		return h.show(ctx, caller, P(in).invoice())
	}
}

func (h *Handler) show(ctx context.Context, caller auth.Key, id string) (*answer.Out[invoiceData], error) {
	found, err := h.own(ctx, caller, id)
	if err != nil {
		return nil, err
	}
	return answer.With(h.view(found), nil)
}

func getMethods[I any, P names[I]](h *Handler) func(context.Context, auth.Key, *I) (*answer.Out[[]invoicePaymentMethod], error) {
	return func(ctx context.Context, caller auth.Key, in *I) (*answer.Out[[]invoicePaymentMethod], error) {
		found, err := h.own(ctx, caller, P(in).invoice())
		if err != nil {
			return nil, err
		}
		return answer.With([]invoicePaymentMethod{methodOf(found.Charge, found.Facts)}, nil)
	}
}

// invoicePaymentMethod is the payment method of an invoice, in the formats of BTCPay 1.x and
// 2.x.
type invoicePaymentMethod struct {
	PaymentMethodID   string          `json:"paymentMethodId" doc:"Payment method"`
	PaymentMethod     string          `json:"paymentMethod" doc:"The same in BTCPay 1.x"`
	CryptoCode        string          `json:"cryptoCode" doc:"The same in BTCPay 1.x"`
	Currency          string          `json:"currency" doc:"Currency of the amounts"`
	Destination       string          `json:"destination" doc:"Receiving Monero address"`
	PaymentLink       string          `json:"paymentLink" doc:"monero: URI with the amount"`
	Rate              exact.Amount    `json:"rate" doc:"Invoice currency per XMR; 1 for invoices in XMR"`
	PaymentMethodPaid exact.Amount    `json:"paymentMethodPaid" doc:"XMR that has come"`
	TotalPaid         exact.Amount    `json:"totalPaid" doc:"The same: there is one method"`
	Due               exact.Amount    `json:"due" doc:"XMR that is missing"`
	Amount            exact.Amount    `json:"amount" doc:"XMR that was asked for"`
	PaymentMethodFee  exact.Amount    `json:"paymentMethodFee" doc:"Always 0"`
	NetworkFee        exact.Amount    `json:"networkFee" doc:"Always 0"`
	Activated         bool            `json:"activated" doc:"Always true"`
	AdditionalData    json.RawMessage `json:"additionalData" doc:"Always empty"`
	Payments          []payment       `json:"payments" doc:"Payments seen, oldest first"`
}

type payment struct {
	ID           string        `json:"id" doc:"Transaction hash, a dash and 0: a transaction is one payment of an invoice"`
	ReceivedDate exact.Seconds `json:"receivedDate" doc:"When the service first saw it"`
	Value        exact.Amount  `json:"value" doc:"XMR"`
	Fee          exact.Amount  `json:"fee" doc:"Always 0"`
	Status       string        `json:"status" enum:"Invalid,Processing,Settled" doc:"Settled once it is deep enough and unlocked"`
	Destination  string        `json:"destination" doc:"Receiving Monero address"`
}

func methodOf(c charge.Charge, f charge.Facts) invoicePaymentMethod {
	seen := charge.PublicViewOf(c, f, "")
	rate := money.DecimalFromInt(1)
	if c.XMRRate != nil {
		rate = *c.XMRRate
	}
	m := invoicePaymentMethod{
		PaymentMethodID: invoice.MethodXMR, PaymentMethod: invoice.LegacyXMR, CryptoCode: invoice.LegacyXMR, Currency: invoice.LegacyXMR,
		Destination: c.Subaddress, PaymentLink: seen.PaymentURI, Rate: exact.Amount{Decimal: rate},
		PaymentMethodPaid: exact.XMR(seen.AmountReceivedXMR), TotalPaid: exact.XMR(seen.AmountReceivedXMR),
		Due: exact.XMR(seen.AmountDueXMR), Amount: exact.XMR(c.AmountXMR), Activated: true, AdditionalData: json.RawMessage(`{}`), Payments: []payment{},
	}
	for _, p := range f.Payments {
		status := "Processing"
		if p.Mature {
			status = "Settled"
		}
		m.Payments = append(m.Payments, payment{
			ID: p.TxHash + "-0", ReceivedDate: exact.At(p.FirstSeenAt), Value: exact.XMR(p.Amount), Status: status, Destination: c.Subaddress,
		})
	}
	return m
}
