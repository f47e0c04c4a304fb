package greenfield

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// Limits for the values of an invoice.
const (
	maxExpiration = 30 * 24 * 60 // minutes
	maxMonitoring = 365 * 24 * 60
	maxTolerance  = 100 // percent
)

type newInvoice struct {
	Amount   *Amount         `json:"amount" required:"true" doc:"In the unit of currency, at most 2 decimals (12 for XMR). An invoice without an amount (top-up) is refused"`
	Currency *string         `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"USD" doc:"Currency of amount"`
	Metadata json.RawMessage `json:"metadata,omitempty" nullable:"true" doc:"Any object, kept digit for digit. orderId is searched by, itemDesc is shown to the buyer, buyerEmail and the like are removed when buyers' values are"`
	Checkout *newCheckout    `json:"checkout,omitempty"`
}

type newCheckout struct {
	SpeedPolicy           *invoice.SpeedPolicy `json:"speedPolicy,omitempty" enum:"HighSpeed,MediumSpeed,LowMediumSpeed,LowSpeed" doc:"How deep payments must be: 1, 1, 2 or 6 blocks, and never fewer than operators have set for the merchant"`
	PaymentMethods        []string             `json:"paymentMethods,omitempty" nullable:"true" doc:"XMR-CHAIN must be among them (XMR_CHAIN and XMR are taken too); none means all"`
	ExpirationMinutes     *int64               `json:"expirationMinutes,omitempty" nullable:"true" minimum:"1" maximum:"43200" doc:"Minutes that it waits for money"`
	MonitoringMinutes     *int64               `json:"monitoringMinutes,omitempty" nullable:"true" minimum:"0" maximum:"525600" doc:"Minutes after the expiration in which late money settles it; for ever without it"`
	PaymentTolerance      *Amount              `json:"paymentTolerance,omitempty" nullable:"true" doc:"Percent that may be missing, 0 to 100, and never more than operators have set for the merchant"`
	RedirectURL           *string              `json:"redirectURL,omitempty" nullable:"true" doc:"Where the page's return button leads; {InvoiceId} and {OrderId} are replaced"`
	RedirectAutomatically *bool                `json:"redirectAutomatically,omitempty" nullable:"true" doc:"Kept and shown; the page leaves it to the button"`
	DefaultLanguage       *string              `json:"defaultLanguage,omitempty" nullable:"true" doc:"Language of the page; one that it does not know leaves it to the browser"`
}

func (h *Invoices) create(ctx context.Context, caller access.Key, in *struct {
	StorePath
	Body httpapi.Body[newInvoice]
},
) (*httpapi.Out[invoiceData], error) {
	fields := in.Body.Value()
	req, err := newCharge(caller, fields)
	if err != nil {
		return nil, err
	}
	made, err := h.Start.CreateCharge(ctx, req)
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.view(postgres.ChargeFacts{Charge: made, Facts: charge.Facts{Now: h.Clock()}}), nil)
}

func newCharge(caller access.Key, f newInvoice) (chargestore.New, error) {
	req := chargestore.New{
		ChargeID: secret.NewID("ch_"), MerchantID: caller.MerchantID, Mode: caller.Mode, Source: charge.FromAPI,
	}
	if f.Amount == nil {
		return req, invalid("amount", "amount is required: an invoice without one (top-up) is not possible")
	}
	if f.Currency != nil {
		upper := strings.ToUpper(*f.Currency)
		if _, err := money.ParseCurrency(upper); err != nil {
			return req, invalid("currency", "currency must be one of: USD, EUR, XMR")
		}
		f.Currency = &upper
	}
	var err error
	if req.Amount, req.Currency, err = service.CheckAmount(&f.Amount.Decimal, f.Currency); err != nil {
		return req, invalid("amount", "%s", err)
	}
	meta, err := readMetadata(f.Metadata)
	if err != nil {
		return req, err
	}
	req.Metadata, req.OrderID, req.Description = meta.text, meta.orderID, meta.description
	if f.Checkout == nil {
		f.Checkout = &newCheckout{}
	}
	return req, f.Checkout.apply(&req, placeholders(req.ChargeID, meta.order))
}

// placeholders inserts the invoice and its order, URL-escaped, into a URL.
func placeholders(id, order string) *strings.Replacer {
	return strings.NewReplacer("{InvoiceId}", id, "{OrderId}", strings.ReplaceAll(url.QueryEscape(order), "+", "%20"))
}

// apply checks the checkout options and sets them on the charge.
func (o newCheckout) apply(req *chargestore.New, fill *strings.Replacer) error {
	chosen := invoiceCheckout{SpeedPolicy: invoice.LowSpeed, MonitoringMinutes: o.MonitoringMinutes, DefaultLanguage: o.DefaultLanguage}
	if len(o.PaymentMethods) > 0 && !slices.ContainsFunc(o.PaymentMethods, invoice.IsMethodXMR) {
		return invalid("checkout.paymentMethods", "the only payment method is %s", invoice.MethodXMR)
	}
	if o.SpeedPolicy != nil {
		blocks, ok := o.SpeedPolicy.Confirmations()
		if !ok {
			return invalid("checkout.speedPolicy", "speedPolicy must be one of: HighSpeed, MediumSpeed, LowMediumSpeed, LowSpeed")
		}
		chosen.SpeedPolicy, req.Confirmations = *o.SpeedPolicy, blocks
	}
	if err := o.applyTimes(&chosen, req); err != nil {
		return err
	}
	if err := o.applyRedirect(&chosen, req, fill); err != nil {
		return err
	}
	if t := o.PaymentTolerance; t != nil {
		if t.Sign() < 0 || t.Cmp(money.DecimalFromInt(maxTolerance)) > 0 {
			return invalid("checkout.paymentTolerance", "paymentTolerance must be 0 to %d", maxTolerance)
		}
		chosen.PaymentTolerance, req.Tolerance = t.Decimal, &t.Decimal
	}
	text, err := json.Marshal(chosen)
	if err != nil {
		return err
	}
	kept := string(text)
	req.Checkout = &kept
	return nil
}

// applyTimes sets how long the charge awaits payment, and how long a late payment counts.
func (o newCheckout) applyTimes(chosen *invoiceCheckout, req *chargestore.New) error {
	if n := o.ExpirationMinutes; n != nil {
		if *n < 1 || *n > maxExpiration {
			return invalid("checkout.expirationMinutes", "expirationMinutes must be 1 to %d", maxExpiration)
		}
		chosen.ExpirationMinutes, req.Timeout = *n, time.Duration(*n)*time.Minute
	}
	if n := o.MonitoringMinutes; n != nil {
		if *n < 0 || *n > maxMonitoring {
			return invalid("checkout.monitoringMinutes", "monitoringMinutes must be 0 to %d", maxMonitoring)
		}
		late := time.Duration(*n) * time.Minute
		req.Monitoring = &late
	}
	return nil
}

// applyRedirect sets the address to which the buyer returns.
func (o newCheckout) applyRedirect(chosen *invoiceCheckout, req *chargestore.New, fill *strings.Replacer) error {
	if o.RedirectURL != nil && *o.RedirectURL != "" {
		filled := fill.Replace(*o.RedirectURL)
		if req.ReturnURL = service.ReturnURL(filled); req.ReturnURL == nil {
			return invalid("checkout.redirectURL", "redirectURL must be an http or https URL")
		}
		chosen.RedirectURL = o.RedirectURL
	}
	if o.RedirectAutomatically != nil {
		chosen.RedirectAutomatically = *o.RedirectAutomatically
	}
	return nil
}

// metadata is the metadata of an invoice: the object itself with all digits, and the values of
// its known keys.
type metadata struct {
	text string
	// order is the text of the order; orderID is the key for searches.
	order       string
	orderID     *string
	description *string
}

// readMetadata reads a JSON object. No value and null are the empty object.
func readMetadata(raw []byte) (metadata, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return metadata{text: wire.Object(nil)}, nil
	}
	members, err := wire.Members(raw)
	if err != nil {
		return metadata{}, invalid("metadata", "metadata must be an object")
	}
	m := metadata{text: wire.Object(members)}
	for _, member := range members {
		switch member.Name {
		case service.BuyerInfoKey:
			if !wire.IsObject(member.Value) {
				return metadata{}, invalid("metadata.buyer_info", "%s", service.ErrBuyerInfo)
			}
		case "orderId":
			m.order, m.orderID = charge.OrderText(member.Value), charge.OrderIDOf(member.Value)
		case "itemDesc":
			m.description = service.Description(wire.TextOf(member.Value))
		}
	}
	return m, nil
}
