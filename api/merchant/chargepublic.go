package merchant

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/qr"
)

type dataURL struct {
	DataURL string `json:"dataurl" doc:"PNG image as a data URL" example:"data:image/png;base64,iVBORw0KGgo="`
}

// registerChargePublic adds what customers see of a charge, and its QR code.
func (h *chargesRoom) registerChargePublic(api operations) {
	public(api, route{
		id: "getPublicCharge", method: http.MethodGet, path: "/api/charges/{id}/public", tag: tagCharges, limit: limitPublic,
		summary:  "Get what a customer needs to pay",
		text:     "Answers 410 when the link is inactive or expired, unless a payment has been seen.",
		errors:   []int{http.StatusNotFound, http.StatusGone},
		response: examplePublicCharge(),
	}, h.publicCharge)
	withKey(api, route{
		id: "getChargeQR", method: http.MethodGet, path: "/api/charges/{id}/qr", tag: tagCharges, limit: limitQR,
		summary: "Get the QR code of a charge", text: "The code holds the monero: URI with the amount.",
		query:    []*huma.Param{choiceParam("format", "JSON with a data URL, or the image itself.", "dataurl", "png")},
		errors:   []int{http.StatusBadRequest, http.StatusNotFound},
		response: dataURL{"data:image/png;base64,iVBORw0KGgo="},
	}, h.chargeQR)
	op := api.OpenAPI().Paths["/api/charges/{id}/qr"].Get
	describe[dataURL](api, op, jsonType)
	describe[pngImage](api, op, pngType)
}

func (h *chargesRoom) publicCharge(ctx context.Context, in *chargeInput) (*out[charge.PublicView], error) {
	found, err := findCharge(ctx, h.Store, in.ID, h.Clock())
	if err != nil {
		return nil, err
	}
	if charge.Unpayable(found.Charge, found.Facts) {
		return nil, gone("the payment link is no longer valid")
	}
	return answer(charge.PublicViewOf(found.Charge, found.Facts, h.PublicURL), nil)
}

const pngType = "image/png"

type pngImage struct{}

// Schema describes an image.
func (pngImage) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Description: "PNG image"}
}

// qrAnswer is JSON or an image.
type qrAnswer struct {
	ContentType string `header:"Content-Type"`
	Body        any
}

func (h *chargesRoom) chargeQR(ctx context.Context, caller keyCaller, in *struct {
	ID string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	query
}) (*qrAnswer, error) {
	format, err := in.oneOf("format", "dataurl", "png")
	if err != nil {
		return nil, err
	}
	found, err := h.ownCharge(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	uri := charge.PaymentURI(found.Charge.Subaddress, found.Charge.AmountXMR)
	if format == "png" {
		image, err := qr.PNG(uri, qr.DefaultSize)
		return &qrAnswer{pngType, image}, err
	}
	link, err := qr.DataURL(uri)
	return &qrAnswer{jsonType, dataURL{link}}, err
}
