package charges

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/permission"
)

type dataURL struct {
	DataURL string `json:"dataurl" doc:"PNG image as a data URL" example:"data:image/png;base64,iVBORw0KGgo="`
}

// registerChargePublic registers the customers' view of a charge, and its QR code.
func (h *Charges) registerChargePublic(api operation.API) {
	operation.PublicRead(api, operation.Route{
		ID: "getPublicCharge", Method: http.MethodGet, Path: "/api/charges/{id}/public", Tag: operation.TagCharges, Limit: access.Public,
		Summary:  "Get what a customer needs to pay",
		Text:     "Answers 410 when the link is inactive, expired, or of a single-use payment request that was paid meanwhile, unless a payment has been seen.",
		Errors:   []int{http.StatusNotFound, http.StatusGone},
		Response: example.PublicCharge(),
	}, h.publicCharge)
	operation.WithKey(api, operation.Route{
		ID: "getChargeQR", Permission: permission.ViewInvoices, Method: http.MethodGet, Path: "/api/charges/{id}/qr", Tag: operation.TagCharges, Limit: access.QR,
		Summary: "Get the QR code of a charge", Text: "The code holds the monero: URI with the amount.",
		Query:    []*huma.Param{httpapi.ChoiceParam("format", "JSON with a data URL, or the image itself.", "dataurl", "png")},
		Errors:   []int{http.StatusBadRequest, http.StatusNotFound},
		Response: dataURL{"data:image/png;base64,iVBORw0KGgo="},
	}, h.chargeQR)
	op := api.OpenAPI().Paths["/api/charges/{id}/qr"].Get
	operation.Describe[dataURL](api, op, httpapi.JSON)
	operation.Describe[pngImage](api, op, pngType)
}

func (h *Charges) publicCharge(ctx context.Context, in *chargeInput) (charge.PublicView, error) {
	found, err := service.PublicCharge(ctx, h.Store, in.ID, h.Clock())
	if err != nil {
		return charge.PublicView{}, err
	}
	if charge.Unpayable(found.Charge, found.Facts) {
		return charge.PublicView{}, httpapi.Gone("the payment link is no longer valid")
	}
	return charge.PublicViewOf(found.Charge, found.Facts, h.PublicURL), nil
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

func (h *Charges) chargeQR(ctx context.Context, caller access.Key, in *struct {
	ID string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	httpapi.Query
}) (*qrAnswer, error) {
	format, err := in.OneOf("format", "dataurl", "png")
	if err != nil {
		return nil, err
	}
	found, err := h.ownCharge(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	uri := charge.ViewOf(found.Charge, found.Facts, h.PublicURL).PaymentURI
	if format == "png" {
		image, err := web.QRCode(uri, web.QRSize)
		return &qrAnswer{pngType, image}, err
	}
	link, err := web.QRDataURL(uri)
	return &qrAnswer{httpapi.JSON, dataURL{link}}, err
}
