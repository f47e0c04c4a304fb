package invoices

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
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

func (h *Handler) registerOne(api dialect.API) {
	get := dialect.Route{
		ID: "Invoices_GetInvoice", Method: http.MethodGet, Path: pathInStore, Tag: dialect.TagInvoices, Permission: permission.ViewInvoices,
		Summary: "Get an invoice", Text: "Charges that were made otherwise are invoices too.", Errors: []int{http.StatusNotFound}, Response: h.example(),
	}
	dialect.WithKey(api, get, getInvoice[InStore](h))
	dialect.WithKey(api, withoutStore(get), getInvoice[Alone](h))
	methods := dialect.Route{
		ID: "Invoices_GetInvoicePaymentMethods", Method: http.MethodGet, Path: pathInStore + "/payment-methods", Tag: dialect.TagInvoices,
		Permission: permission.ViewInvoices, Summary: "Get how an invoice is paid, and its payments",
		Text:   "One: XMR-CHAIN, under the names of BTCPay 1.x and 2.x.",
		Errors: []int{http.StatusNotFound}, Response: []invoicePaymentMethod{methodOf(exampleCharge())},
	}
	dialect.WithKey(api, methods, getMethods[InStore](h))
	dialect.WithKey(api, withoutStore(methods), getMethods[Alone](h))
}

// withoutStore returns the variant of a route for the store of the key.
func withoutStore(r dialect.Route) dialect.Route {
	r.ID += "WithoutStore"
	r.Path = pathAlone + r.Path[len(pathInStore):]
	r.Text += " The store is that of the key."
	return r
}

func getInvoice[I any, P names[I]](h *Handler) func(context.Context, access.Key, *I) (*httpapi.Out[invoiceData], error) {
	return func(ctx context.Context, caller access.Key, in *I) (*httpapi.Out[invoiceData], error) {
		return h.show(ctx, caller, P(in).invoice())
	}
}

func (h *Handler) show(ctx context.Context, caller access.Key, id string) (*httpapi.Out[invoiceData], error) {
	found, err := h.own(ctx, caller, id)
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.view(found), nil)
}

func getMethods[I any, P names[I]](h *Handler) func(context.Context, access.Key, *I) (*httpapi.Out[[]invoicePaymentMethod], error) {
	return func(ctx context.Context, caller access.Key, in *I) (*httpapi.Out[[]invoicePaymentMethod], error) {
		found, err := h.own(ctx, caller, P(in).invoice())
		if err != nil {
			return nil, err
		}
		return httpapi.With([]invoicePaymentMethod{methodOf(found.Charge, found.Facts)}, nil)
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
	Rate              dialect.Amount  `json:"rate" doc:"Invoice currency per XMR; 1 for invoices in XMR"`
	PaymentMethodPaid dialect.Amount  `json:"paymentMethodPaid" doc:"XMR that has come"`
	TotalPaid         dialect.Amount  `json:"totalPaid" doc:"The same: there is one method"`
	Due               dialect.Amount  `json:"due" doc:"XMR that is missing"`
	Amount            dialect.Amount  `json:"amount" doc:"XMR that was asked for"`
	PaymentMethodFee  dialect.Amount  `json:"paymentMethodFee" doc:"Always 0"`
	NetworkFee        dialect.Amount  `json:"networkFee" doc:"Always 0"`
	Activated         bool            `json:"activated" doc:"Always true"`
	AdditionalData    json.RawMessage `json:"additionalData" doc:"Always empty"`
	Payments          []payment       `json:"payments" doc:"Payments seen, oldest first"`
}

type payment struct {
	ID           string          `json:"id" doc:"Transaction hash, a dash and 0: a transaction is one payment of an invoice"`
	ReceivedDate dialect.Seconds `json:"receivedDate" doc:"When the service first saw it"`
	Value        dialect.Amount  `json:"value" doc:"XMR"`
	Fee          dialect.Amount  `json:"fee" doc:"Always 0"`
	Status       string          `json:"status" enum:"Invalid,Processing,Settled" doc:"Settled once it is deep enough and unlocked"`
	Destination  string          `json:"destination" doc:"Receiving Monero address"`
}

func methodOf(c charge.Charge, f charge.Facts) invoicePaymentMethod {
	seen := charge.PublicViewOf(c, f, "")
	rate := money.DecimalFromInt(1)
	if c.XMRRate != nil {
		rate = *c.XMRRate
	}
	m := invoicePaymentMethod{
		PaymentMethodID: invoice.MethodXMR, PaymentMethod: invoice.LegacyXMR, CryptoCode: invoice.LegacyXMR, Currency: invoice.LegacyXMR,
		Destination: c.Subaddress, PaymentLink: seen.PaymentURI, Rate: dialect.Amount{Decimal: rate},
		PaymentMethodPaid: dialect.XMR(seen.AmountReceivedXMR), TotalPaid: dialect.XMR(seen.AmountReceivedXMR),
		Due: dialect.XMR(seen.AmountDueXMR), Amount: dialect.XMR(c.AmountXMR), Activated: true, AdditionalData: json.RawMessage(`{}`), Payments: []payment{},
	}
	for _, p := range f.Payments {
		status := "Processing"
		if p.Mature {
			status = "Settled"
		}
		m.Payments = append(m.Payments, payment{
			ID: p.TxHash + "-0", ReceivedDate: dialect.At(p.FirstSeenAt), Value: dialect.XMR(p.Amount), Status: status, Destination: c.Subaddress,
		})
	}
	return m
}
