package greenfield

import (
	"context"
	"encoding/json"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
)

func (h *Invoices) methods(ctx context.Context, caller access.Key, id string) (*httpapi.Out[[]invoicePaymentMethod], error) {
	found, err := h.own(ctx, caller, id)
	if err != nil {
		return nil, err
	}
	return httpapi.With([]invoicePaymentMethod{methodOf(found.Charge, found.Facts)}, nil)
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
	Rate              Amount          `json:"rate" doc:"Invoice currency per XMR; 1 for invoices in XMR"`
	PaymentMethodPaid Amount          `json:"paymentMethodPaid" doc:"XMR that has come"`
	TotalPaid         Amount          `json:"totalPaid" doc:"The same: there is one method"`
	Due               Amount          `json:"due" doc:"XMR that is missing"`
	Amount            Amount          `json:"amount" doc:"XMR that was asked for"`
	PaymentMethodFee  Amount          `json:"paymentMethodFee" doc:"Always 0"`
	NetworkFee        Amount          `json:"networkFee" doc:"Always 0"`
	Activated         bool            `json:"activated" doc:"Always true"`
	AdditionalData    json.RawMessage `json:"additionalData" doc:"Always empty"`
	Payments          []payment       `json:"payments" doc:"Payments seen, oldest first"`
}

type payment struct {
	ID           string  `json:"id" doc:"Transaction hash, a dash and 0: a transaction is one payment of an invoice"`
	ReceivedDate Seconds `json:"receivedDate" doc:"When the service first saw it"`
	Value        Amount  `json:"value" doc:"XMR"`
	Fee          Amount  `json:"fee" doc:"Always 0"`
	Status       string  `json:"status" enum:"Invalid,Processing,Settled" doc:"Settled once it is deep enough and unlocked"`
	Destination  string  `json:"destination" doc:"Receiving Monero address"`
}

func methodOf(c charge.Charge, f charge.Facts) invoicePaymentMethod {
	seen := charge.PublicViewOf(c, f, "")
	rate := money.DecimalFromInt(1)
	if c.XMRRate != nil {
		rate = *c.XMRRate
	}
	m := invoicePaymentMethod{
		PaymentMethodID: invoice.MethodXMR, PaymentMethod: invoice.LegacyXMR, CryptoCode: invoice.LegacyXMR, Currency: invoice.LegacyXMR,
		Destination: c.Subaddress, PaymentLink: seen.PaymentURI, Rate: Amount{Decimal: rate},
		PaymentMethodPaid: XMR(seen.AmountReceivedXMR), TotalPaid: XMR(seen.AmountReceivedXMR),
		Due: XMR(seen.AmountDueXMR), Amount: XMR(c.AmountXMR), Activated: true, AdditionalData: json.RawMessage(`{}`), Payments: []payment{},
	}
	for _, p := range f.Payments {
		status := "Processing"
		if p.Mature {
			status = "Settled"
		}
		m.Payments = append(m.Payments, payment{
			ID: p.TxHash + "-0", ReceivedDate: At(p.FirstSeenAt), Value: XMR(p.Amount), Status: status, Destination: c.Subaddress,
		})
	}
	return m
}
