package desk

import (
	"encoding/csv"
	"net/http"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/report"
)

// The number of charges that one read of the API returns for the file of the list, and the number of
// reads. A read for a search looks at 10,000 charges at most.
const (
	exportedAtOnce = "100"
	mostReads      = 100
)

// chargeFile sends the charges that the list shows as a table for a spreadsheet, the newest first. It
// has the first 10,000 charges, and of a search those among the newest million.
func (v *visit) chargeFile() error {
	asked := v.r.URL.Query()
	found := read[chargeList](v, "/api/charges?"+v.chargeQuery(asked, exportedAtOnce).Encode())
	if err := v.failure(); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="charges.csv"`)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	out := csv.NewWriter(&spreadsheet{ResponseWriter: v.w})
	_ = out.Write([]string{ // an error comes back from Error
		"charge_id", "created_at", "status", "payment_state", "amount", "currency", "amount_xmr", "amount_received_xmr", "order_id", "description", "expires_at", "confirmed_at",
	})
	for reads := 1; ; reads++ {
		for _, c := range found.Charges {
			_ = out.Write(exported(c))
		}
		out.Flush()
		if out.Error() != nil {
			return nil //nolint:nilerr // the visitor has disconnected
		}
		if found.Next == "" || reads == mostReads {
			return nil
		}
		asked.Set("cursor", found.Next)
		found = chargeList{}
		if v.get("/api/charges?"+v.chargeQuery(asked, exportedAtOnce).Encode(), &found) != nil {
			panic(http.ErrAbortHandler) // a file that ends early must not look complete
		}
	}
}

// exported returns the line of a charge.
func exported(c chargeView) []string {
	confirmed := ""
	if c.ConfirmedAt != nil {
		confirmed = c.ConfirmedAt.String()
	}
	return []string{
		c.ID, c.CreatedAt.String(), string(c.Status), string(c.PaymentState), c.Amount.String(), string(c.Currency), c.AmountXMR.String(),
		c.AmountReceivedXMR.String(), report.Cell(c.order()), report.Cell(web.OrEmpty(c.Description)), c.ExpiresAt.String(), confirmed,
	}
}
