package server

import (
	"time"

	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
)

func (h *Stores) view(id, name string) store {
	return store{
		ID: id, Name: name, DefaultCurrency: string(money.USD), InvoiceExpiration: int64(h.ChargeTimeout / time.Second),
		SpeedPolicy: string(invoice.LowSpeed), DefaultPaymentMethod: invoice.MethodXMR,
	}
}

func (h *Stores) example() store { return h.view(example.MerchantID, "Example Shop") }
