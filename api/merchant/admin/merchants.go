package admin

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

type merchantInput struct {
	ID string `path:"id" doc:"Merchant identifier, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
}

// merchantOf returns id if it has the form of a merchant identifier, and "" otherwise: no
// merchant has that.
func merchantOf(id string) string {
	if !secret.IsMerchantID(id) {
		return ""
	}
	return id
}

// setting is a field that distinguishes null from a missing value.
type setting[T any] struct{ operator.Setting[T] }

// UnmarshalJSON reads a value or null. It is not called for a missing field.
func (s *setting[T]) UnmarshalJSON(raw []byte) error {
	s.Given = true
	return json.Unmarshal(raw, &s.To)
}

type newTerms struct {
	FeeRate       setting[money.Decimal] `json:"fee_rate"`
	Confirmations setting[int32]         `json:"confirmations_required"`
	Tolerance     setting[money.Decimal] `json:"tolerance_percent"`
	PendingMax    setting[int32]         `json:"pending_charges_max"`
}

// termsSchema describes newTerms in the API's document.
type termsSchema struct {
	FeeRate       *money.Decimal `json:"fee_rate" nullable:"true" required:"false" doc:"Share of a payout, 0 up to and without 1, at most 6 decimals; null: by volume tier or configuration" example:"0.004"`
	Confirmations *int32         `json:"confirmations_required" nullable:"true" required:"false" minimum:"1" maximum:"1000" doc:"Blocks that a payment needs, whatever its amount; null: by configuration" example:"5"`
	Tolerance     *money.Decimal `json:"tolerance_percent" nullable:"true" required:"false" minimum:"0" maximum:"100" doc:"Underpayment that still confirms a charge, in percent; null: by configuration" example:"0.5"`
	PendingMax    *int32         `json:"pending_charges_max" nullable:"true" required:"false" minimum:"1" maximum:"10000000" doc:"Charges that may be pending at the same time; null: by configuration" example:"50000"`
}

// Schema describes the terms as a client sends them.
func (newTerms) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[termsSchema](), true, "")
}

type newTier struct {
	VolumeXMR *money.Piconero `json:"volume_xmr" required:"true" doc:"Confirmed in the last 30 days, from which the rate is in force; above 0" example:"100"`
	FeeRate   *money.Decimal  `json:"fee_rate" required:"true" doc:"Share of a payout, 0 up to and without 1, at most 6 decimals" example:"0.004"`
}

type newTiers struct {
	Tiers *[]newTier `json:"tiers" required:"true" maxItems:"50" doc:"All tiers; an empty list removes them"`
}

// read returns the tiers. It refuses a list in which a field is missing (400).
func (n newTiers) read() ([]operator.Tier, error) {
	if n.Tiers == nil {
		return nil, httpapi.BadRequest("tiers is required")
	}
	tiers := make([]operator.Tier, 0, len(*n.Tiers))
	for _, t := range *n.Tiers {
		if t.VolumeXMR == nil || t.FeeRate == nil {
			return nil, httpapi.BadRequest("volume_xmr and fee_rate of each tier are required")
		}
		tiers = append(tiers, operator.Tier{VolumeXMR: *t.VolumeXMR, FeeRate: *t.FeeRate})
	}
	return tiers, nil
}

func (h *Admin) adminMerchants(ctx context.Context, _ operator.Actor, in *struct{ httpapi.Query }) (*httpapi.Out[operator.Merchants], error) {
	page, err := in.Page()
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.Admin.Merchants(ctx, page))
}

func (h *Admin) adminTerms(ctx context.Context, who operator.Actor, in *struct {
	ID   string `path:"id" doc:"Merchant identifier, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
	Body httpapi.Body[newTerms]
}) (*httpapi.Out[operator.Merchant], error) {
	fields := in.Body.Value()
	return httpapi.With(h.Admin.SetTerms(ctx, who, merchantOf(in.ID), operator.Terms{
		FeeRate: fields.FeeRate.Setting, Confirmations: fields.Confirmations.Setting, Tolerance: fields.Tolerance.Setting,
		PendingMax: fields.PendingMax.Setting,
	}))
}

func (h *Admin) adminSetTiers(ctx context.Context, who operator.Actor, in *struct{ Body httpapi.Body[newTiers] }) (*httpapi.Out[operator.Tiers], error) {
	fields := in.Body.Value()
	tiers, err := fields.read()
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.Admin.SetTiers(ctx, who, tiers))
}

type newHold struct {
	Until wire.Time `json:"until" doc:"In the future, at most 720 hours from now" example:"2026-11-28T09:30:00.123Z"`
}

type holdInput struct {
	ID   string `path:"id" doc:"Merchant identifier, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
	Body httpapi.Body[newHold]
}
