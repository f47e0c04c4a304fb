package merchant

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	stdjson "encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rawjson"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/timestamp"
	"github.com/durapay/durapay/workflows"
)

var merchantID = regexp.MustCompile(`^[0-9a-f]{32}$`)

type newButtonCharge struct {
	MerchantID  *string         `json:"merchant_id,omitempty" doc:"Who is paid, 32 hex digits; not needed with payment_request_id" example:"0123456789abcdef0123456789abcdef"`
	Amount      *money.Decimal  `json:"amount,omitempty" minimum:"0.01" maximum:"10000000" doc:"In the unit of currency, at most 2 decimals (12 for XMR); required without payment_request_id, and with one that of the request"`
	Currency    *string         `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"USD" doc:"Currency of amount"`
	Description *string         `json:"description,omitempty" doc:"Text shown to the customer, at most 500 characters; anybody can send it, so markup is removed"`
	Fields      fieldNames      `json:"fields,omitempty"`
	ExpiresAt   *timestamp.Time `json:"expires_at,omitempty" doc:"Link expiration, within a year; excludes expires_in"`
	ExpiresIn   *money.Decimal  `json:"expires_in,omitempty" doc:"Link expiration in hours from now; excludes expires_at"`

	PaymentRequestID *string `json:"payment_request_id,omitempty" doc:"Payment request to pay: it settles merchant, amount, currency, description and fields" example:"pr_0123456789abcdef01234567"`
}

// fieldNames are names of buyer fields: a list, or a text with commas.
type fieldNames []string

// UnmarshalJSON reads either form.
func (f *fieldNames) UnmarshalJSON(raw []byte) error {
	var text string
	if stdjson.Unmarshal(raw, &text) == nil {
		*f = charge.SplitFields(text)
		return nil
	}
	return stdjson.Unmarshal(raw, (*[]string)(f))
}

// Schema describes both forms.
func (fieldNames) Schema(huma.Registry) *huma.Schema {
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

// registerButton adds what payment buttons do.
func registerButton(api huma.API, a *app) {
	const path = "/api/charges/button"
	public(api, a, route{
		id: "createButtonCharge", method: http.MethodPost, path: path, tag: tagCharges, limit: limitCreate,
		form:    &form{numbers: []string{"amount", "expires_in"}, lists: []string{"fields"}},
		summary: "Create a charge from a payment button",
		text: "Needs no credential. Takes a plain HTML form too, which is answered with the way to the payment page. At most " +
			"50 such charges of a merchant can be pending at the same time, 10 of them from one address and 25 through Tor; more " +
			"answer 429.",
		errors:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusServiceUnavailable},
		request:  exampleButton(),
		response: exampleCharge(),
	}, a.createButtonCharge)
	describeForm[charge.View](api, path)
}

func (a *app) createButtonCharge(ctx context.Context, in *struct {
	Body body[newButtonCharge]
	fromClient
}) (*formAnswer[charge.View], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	to, req, err := a.buttonCharge(ctx, fields)
	if err != nil {
		return nil, err
	}
	to.ChargeID = secret.NewID("ch_")
	req.ClientCode, req.CrowdCode = a.shareOf(in.remote)
	if err := a.starter.createCharge(ctx, to, req); err != nil {
		return nil, err
	}
	found, err := a.anyCharge(ctx, to.ChargeID)
	if err != nil {
		return nil, err
	}
	return toPage(ctx, to.ChargeID, charge.ViewOf(found.Charge, found.Facts, a.PublicURL)), nil
}

// buttonCharge checks what a customer asks for, and for whom.
func (a *app) buttonCharge(ctx context.Context, f newButtonCharge) (workflows.ChargeInput, workflows.CreateCharge, error) {
	if f.PaymentRequestID != nil {
		return a.requestCharge(ctx, f)
	}
	req := workflows.CreateCharge{Source: charge.FromButton}
	var err error
	if req.Amount, req.Currency, err = price(f.Amount, f.Currency); err != nil {
		return workflows.ChargeInput{}, req, err
	}
	if req.Description, err = shortText("description", f.Description, maxDescription); err != nil {
		return workflows.ChargeInput{}, req, err
	}
	req.Metadata = describedMetadata(req.Description)
	if req.Fields, err = charge.CheckFields(f.Fields); err != nil {
		return workflows.ChargeInput{}, req, badRequest("%s", err)
	}
	if req.LinkExpiresAt, err = linkExpiry(f.ExpiresAt, f.ExpiresIn, a.Clock()); err != nil {
		return workflows.ChargeInput{}, req, err
	}
	to, err := a.payee(ctx, f.MerchantID)
	return to, req, err
}

// payee is the merchant whom a button pays. Buttons are live.
func (a *app) payee(ctx context.Context, id *string) (workflows.ChargeInput, error) {
	if id == nil || !merchantID.MatchString(*id) {
		return workflows.ChargeInput{}, badRequest("merchant_id must be 32 hex digits")
	}
	m, err := a.Store.GetMerchant(ctx, *id)
	switch {
	case postgres.IsNotFound(err), err == nil && m.DeletedAt != nil:
		return workflows.ChargeInput{}, notFound("merchant")
	case err != nil:
		return workflows.ChargeInput{}, err
	case m.SuspendedAt != nil:
		return workflows.ChargeInput{}, errSuspended()
	}
	return workflows.ChargeInput{MerchantID: m.MerchantID, Mode: config.Live}, nil
}

// shortText is a text without markup; nil when nothing is left. Unlike the
// description in metadata, one that is too long is refused.
func shortText(name string, text *string, most int) (*string, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // no text is a valid answer
	}
	plain := strings.TrimSpace(plainText(*text))
	if utf8.RuneCountInString(plain) > most {
		return nil, badRequest("%s must have at most %d characters", name, most)
	}
	if plain == "" {
		return nil, nil //nolint:nilnil // as above
	}
	return &plain, nil
}

// describedMetadata is the metadata of a charge that has none of its own: what
// merchants expect under the reserved key.
func describedMetadata(text *string) string {
	if text == nil {
		return rawjson.Object(nil)
	}
	return rawjson.Object([]rawjson.Member{{Name: "description", Value: rawjson.Value(*text)}})
}
