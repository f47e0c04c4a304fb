package opdesk

import (
	"net/url"
	"strings"

	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/workflows"
)

// findForm returns the field that stands on every page of a session.
func (v *visit) findForm() form {
	text := ""
	if v.r.URL.Path == Root+"/find" {
		text = strings.TrimSpace(v.r.URL.Query().Get("text"))
	}
	return form{
		Action: Root + "/find", Button: "Find", Get: true, Search: true, Lesser: true,
		Fields: []field{{
			ID: "find", Name: "text", Label: "Find by identifier, order, transaction, email or address", Type: "search", Autocomplete: "off",
			Max: operator.MaxSought, Exact: true, Required: true, Value: text,
		}},
	}
}

// find shows what a text names. A single item with a page is shown at once.
func (v *visit) find() error {
	text := strings.TrimSpace(v.r.URL.Query().Get("text"))
	if text == "" {
		return v.show(&page{Title: "Find", Finds: true})
	}
	var answer operator.Found
	if err := v.get("/api/admin/find?"+url.Values{"text": {text}}.Encode(), &answer); err != nil {
		return err
	}
	if len(answer.Found) == 1 {
		if path := pathOf(answer.Found[0]); path != "" {
			v.redirect(path)
			return nil
		}
	}
	t := table{
		Columns: []string{"What", "Which", "State", "Found by", "Merchant", "Since"},
		Empty:   "Nothing has this identifier, order, transaction, email or address. Sealed addresses, such as those of payouts, and what buyers entered cannot be searched.",
	}
	p := &page{Title: "Find", Finds: true, Tables: []table{fill(t, answer.Found, v.foundRow)}}
	if answer.More {
		p.Text = "There are more than these."
	}
	return v.show(p)
}

func (v *visit) foundRow(i operator.FoundItem) []cell {
	what := strings.ReplaceAll(string(i.Kind), "_", " ")
	if i.Mode == "sandbox" {
		what += " of the sandbox"
	}
	return []cell{
		plain(what), {Text: i.ID, Code: true, Href: pathOf(i), Links: v.workflow(workflowOfFound(i))}, plain(i.Status), plain(i.By), merchantCell(i.MerchantID),
		plain(moment(&i.CreatedAt)),
	}
}

// pathOf returns the page of an item; empty if it has none.
func pathOf(i operator.FoundItem) string {
	switch i.Kind {
	case operator.FoundCharge, operator.FoundPayout, operator.FoundRefund, operator.FoundTrade, operator.FoundMerchant:
		return Root + "/" + string(i.Kind) + "s/" + i.ID
	case operator.FoundUnmatched:
		return Root + "/unmatched"
	case operator.FoundSwap, operator.FoundDelivery, operator.FoundPaymentRequest, operator.FoundTransaction:
	}
	return ""
}

// workflowOfFound returns the workflow of an item; empty if it has none.
func workflowOfFound(i operator.FoundItem) string {
	switch i.Kind {
	case operator.FoundCharge:
		return workflows.ChargeWorkflowID(i.ID)
	case operator.FoundPayout:
		return workflows.PayoutWorkflowID(i.ID)
	case operator.FoundRefund:
		return workflows.RefundWorkflowID(i.ID)
	case operator.FoundTrade:
		return workflows.TradeWorkflowID(i.ID)
	case operator.FoundSwap:
		return workflows.SwapWorkflowID(i.ID)
	case operator.FoundDelivery:
		return workflows.DeliveryToMerchant(i.ID).WorkflowID()
	case operator.FoundMerchant, operator.FoundPaymentRequest, operator.FoundUnmatched, operator.FoundTransaction:
	}
	return ""
}
