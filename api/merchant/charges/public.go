package charges

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/wire"
)

type dataURL struct {
	DataURL string `json:"dataurl" doc:"PNG image as a data URL" example:"data:image/png;base64,iVBORw0KGgo="`
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
	format, err := in.OneOf("format")
	if err != nil {
		return nil, err
	}
	found, err := ownCharge(ctx, h.Store, caller, in.ID, h.Clock())
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

// PublicCharge reads a charge for its hosted page. It implements pages.Charges.
func (h *Charges) PublicCharge(ctx context.Context, id string) (pages.View, error) {
	found, err := h.Store.ChargePage(ctx, id, h.Clock())
	if err != nil {
		return pages.View{}, httpapi.Missing(err, pages.ErrNotFound)
	}
	return pages.View{
		PublicView:   charge.PublicViewOf(found.Charge, found.Facts, h.PublicURL),
		BusinessName: found.BusinessName, Sandbox: found.Charge.Sandbox,
		Unpayable: charge.Unpayable(found.Charge, found.Facts), RivalSeen: found.Facts.Rival == charge.RivalSeen,
		FieldsGiven: hasBuyerInfo(found.Charge.Metadata), Lock: lockOf(found.ChargeFacts), Order: orderOf(found.Charge),
		Contact: found.Contact, Unwatched: found.Unwatched, NamedLink: found.NamesInLinks,
		MailsReceipt: h.Mails && found.MailsReceipts && !found.Charge.Sandbox,
	}, nil
}

// lockOf is the payer's lock that a charge waits for; nil for none.
func lockOf(found postgres.ChargeFacts) *pages.Lock {
	p := charge.LockedBy(found.Charge, found.Facts)
	if p == nil {
		return nil
	}
	return &pages.Lock{At: p.UnlockAt, Height: p.UnlockHeight}
}

// maxOrder bounds the number of an order on the page, in bytes.
const maxOrder = 200

// orderOf is the number of the order that a plugin wrote into an invoice's metadata, as
// BTCPay's page shows it. Metadata of other charges is the merchant's alone.
func orderOf(c charge.Charge) string {
	if c.Checkout == nil {
		return ""
	}
	members, err := wire.Members(c.Metadata)
	if err != nil {
		return ""
	}
	for _, m := range members {
		var order string
		if m.Name == "orderId" && json.Unmarshal(m.Value, &order) == nil && len(order) <= maxOrder {
			return order
		}
	}
	return ""
}

// hasBuyerInfo reports whether the metadata holds a buyer's values.
func hasBuyerInfo(metadata []byte) bool {
	members, err := wire.Members(metadata)
	return err == nil && slices.ContainsFunc(members, func(m wire.Member) bool { return m.Name == service.BuyerInfoKey })
}

type buyerInfo struct {
	ID        string            `json:"id" doc:"Charge identifier" example:"ch_0123456789abcdef01234567"`
	BuyerInfo map[string]string `json:"buyer_info" doc:"What is stored now"`
}

func (h *Charges) setBuyerInfo(ctx context.Context, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body httpapi.Body[map[string]string]
}) (*service.FormAnswer[buyerInfo], error) {
	found, err := service.Charge(ctx, h.Store, in.ID, h.Clock())
	if err != nil {
		return nil, err
	}
	if charge.Unpayable(found.Charge, found.Facts) {
		return nil, httpapi.Gone("the payment link is no longer valid")
	}
	values := given(in.Body.Value())
	if _, sent := httpapi.FormOf(ctx); len(values) == 0 && !sent {
		return nil, httpapi.BadRequest("at least one field is required")
	}
	sent, _ := httpapi.FormOf(ctx)
	if err := service.SaveBuyerInfo(ctx, h.Store, in.ID, values, service.Receipts{Mails: h.Mails, Language: sent.Lang}); err != nil {
		return nil, err
	}
	return service.ToPage(ctx, in.ID, buyerInfo{in.ID, values}), nil
}

// given returns the values that are not empty.
func given(values map[string]string) map[string]string {
	kept := make(map[string]string, len(values))
	for name, value := range values {
		if text := strings.TrimSpace(value); text != "" {
			kept[name] = text
		}
	}
	return kept
}
