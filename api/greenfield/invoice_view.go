package greenfield

import (
	"context"
	"encoding/json"
	"time"

	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
)

// endOfTime is shown in place of a missing end, because clients expect a number.
const endOfTime = Seconds(253402300799) // 9999-12-31T23:59:59Z

// invoiceData is an invoice in the dialect's format.
type invoiceData struct {
	ID                   string             `json:"id" doc:"Invoice: the charge's identifier" example:"ch_0123456789abcdef01234567"`
	StoreID              string             `json:"storeId" doc:"Store: the merchant's identifier"`
	Amount               Amount             `json:"amount" doc:"Amount asked for, in currency" example:"49.9"`
	Currency             money.Currency     `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	Type                 string             `json:"type" enum:"Standard" doc:"Always Standard: an invoice has an amount"`
	CheckoutLink         string             `json:"checkoutLink" doc:"Hosted payment page"`
	CreatedTime          Seconds            `json:"createdTime" doc:"Creation"`
	ExpirationTime       Seconds            `json:"expirationTime" doc:"Payment timeout. Moved once when the full amount is first seen before it"`
	MonitoringExpiration Seconds            `json:"monitoringExpiration" doc:"Money that is first seen later does not settle the invoice by itself; 253402300799 for ever"`
	MonitoringTime       Seconds            `json:"monitoringTime" doc:"The same, under the name of older clients"`
	Archived             bool               `json:"archived" doc:"Always false"`
	Status               invoice.Status     `json:"status" enum:"New,Processing,Settled,Expired,Invalid" doc:"Where it stands"`
	AdditionalStatus     invoice.Additional `json:"additionalStatus" enum:"None,PaidLate,PaidPartial,PaidOver,Marked,Invalid" doc:"What is said beside the status"`
	Markable             []invoice.Status   `json:"availableStatusesForManualMarking" doc:"Statuses that it can be marked with now"`
	Metadata             json.RawMessage    `json:"metadata" doc:"As sent, digit for digit"`
	Checkout             invoiceCheckout    `json:"checkout"`
}

// invoiceCheckout holds the checkout options of an invoice, as stored and shown.
type invoiceCheckout struct {
	SpeedPolicy           invoice.SpeedPolicy `json:"speedPolicy" enum:"HighSpeed,MediumSpeed,LowMediumSpeed,LowSpeed" doc:"How deep payments must be: 1, 1, 2 or 6 blocks where it was asked for"`
	PaymentMethods        []string            `json:"paymentMethods" doc:"Payment methods"`
	DefaultPaymentMethod  string              `json:"defaultPaymentMethod" doc:"Payment method"`
	ExpirationMinutes     int64               `json:"expirationMinutes" doc:"Minutes from creation to expiration"`
	MonitoringMinutes     *int64              `json:"monitoringMinutes" nullable:"true" doc:"Minutes after the expiration in which late money settles it; null for ever"`
	PaymentTolerance      money.Decimal       `json:"paymentTolerance" doc:"Percent that may be missing, where it was asked for"`
	RedirectURL           *string             `json:"redirectURL" nullable:"true" doc:"Where the page's return button leads"`
	RedirectAutomatically bool                `json:"redirectAutomatically" doc:"As asked for; the page leaves it to the button"`
	RequiresRefundEmail   bool                `json:"requiresRefundEmail" doc:"Always false"`
	DefaultLanguage       *string             `json:"defaultLanguage" nullable:"true" doc:"Language of the page, as asked for"`
}

func (h *Invoices) view(found postgres.ChargeFacts) invoiceData {
	c, f := found.Charge, found.Facts
	state, chosen := invoice.StateOf(c, f), optionsOf(c)
	until := endOfTime
	if c.CountsUntil != nil {
		until = At(*c.CountsUntil)
	}
	return invoiceData{
		ID: c.ID, StoreID: c.MerchantID, Amount: Amount{Decimal: c.Amount}, Currency: c.Currency, Type: "Standard",
		CheckoutLink: h.PublicURL + pages.PathOf(c.ID, languageOf(chosen.DefaultLanguage)), CreatedTime: At(c.CreatedAt),
		ExpirationTime: At(c.ExpiresAt), MonitoringExpiration: until, MonitoringTime: until, Status: state.Status,
		AdditionalStatus: state.Additional, Markable: invoice.Markable(state.Status), Metadata: c.Metadata, Checkout: chosen,
	}
}

// optionsOf returns the options of an invoice. For a charge that was not created by this API
// it derives them from the charge.
func optionsOf(c charge.Charge) invoiceCheckout {
	var o invoiceCheckout
	if c.Checkout == nil || json.Unmarshal([]byte(*c.Checkout), &o) != nil {
		o = invoiceCheckout{ExpirationMinutes: int64(c.ExpiresAt.Sub(c.CreatedAt) / time.Minute), SpeedPolicy: invoice.LowSpeed, RedirectURL: c.ReturnURL}
	}
	o.PaymentMethods, o.DefaultPaymentMethod = []string{invoice.MethodXMR}, invoice.MethodXMR
	return o
}

// languageOf returns the language of a tag (de for de-AT); empty for none. A page that does
// not have the language uses the browser's.
func languageOf(tag *string) string {
	if tag == nil {
		return ""
	}
	parsed, err := language.Parse(*tag)
	if err != nil {
		return ""
	}
	base, _ := parsed.Base()
	return base.String()
}

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
