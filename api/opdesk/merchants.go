package opdesk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/durapay/durapay/internal/operator"
)

// stateOf returns the account's status as text.
func stateOf(m operator.Merchant) cell {
	switch {
	case m.DeletedAt != nil:
		return plain("deleted " + moment(m.DeletedAt))
	case m.SuspendedAt != nil:
		return cell{Text: "suspended " + moment(m.SuspendedAt), Warn: true}
	case m.PayoutHoldUntil != nil:
		return cell{Text: "sweeps wait until " + moment(m.PayoutHoldUntil), Warn: true}
	default:
		return plain("active")
	}
}

// merchants lists merchants, oldest first.
func (v *visit) merchants() error {
	return show(v, "/merchants"+v.listQuery(), func(answer operator.Merchants) *page {
		t := table{Columns: []string{"Business", "Email", "State", "Volume, 30 days", "Fee rate", "Since", "Merchant"}, Empty: "No merchants yet."}
		t = fill(t, answer.Merchants, func(m operator.Merchant) []cell {
			return []cell{
				{Text: m.BusinessName, Href: Root + "/merchants/" + m.MerchantID}, plain(orDash(&m.Email)), stateOf(m), plain(xmr(m.VolumeXMR)), plain(m.FeeRate.String()), plain(moment(&m.CreatedAt)),
				merchantCell(&m.MerchantID),
			}
		})
		return &page{Title: "Merchants", Text: "The oldest first.", Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor))}
	})
}

func (v *visit) merchant() error {
	return show(v, "/merchants/"+v.id(), func(m operator.Merchant) *page {
		role := "merchant"
		if m.Admin {
			role = "operator"
		}
		return &page{
			Title: cmp.Or(m.BusinessName, m.MerchantID),
			Links: []link{
				{Href: Root + "/charges?merchant_id=" + m.MerchantID, Text: "Charges"}, {Href: Root + "/payouts?merchant_id=" + m.MerchantID, Text: "Payouts"},
				{Href: Root + "/refunds?merchant_id=" + m.MerchantID, Text: "Refunds"},
			},
			Facts: []fact{
				{"State", stateOf(m)}, {"Email", plain(orDash(&m.Email))}, {"Merchant", code(m.MerchantID)}, {"Role", plain(role)},
				{"Since", plain(moment(&m.CreatedAt))}, {"Live wallet", plain(m.WalletID)}, {"Confirmed in 30 days", plain(xmr(m.VolumeXMR))},
				{"Fee rate in force", plain(m.FeeRate.String())}, {"Own fee rate", plain(orConfigured(m.OwnFeeRate))},
				{"Blocks for a payment", plain(orConfigured(m.Confirmations))}, {"Underpayment taken, percent", plain(orConfigured(m.Tolerance))},
				{"Charges pending at the most", plain(orConfigured(m.PendingMax))}, {"Sweeps wait until", plain(moment(m.PayoutHoldUntil))},
			},
			Forms: formsOf(m),
		}
	})
}

// formsOf returns the forms for the actions on an account. A deleted account has none.
func formsOf(m operator.Merchant) []form {
	if m.DeletedAt != nil {
		return nil
	}
	here := Root + "/merchants/" + m.MerchantID
	state := form{
		Action: here + "/suspend", Title: "Suspend", Button: "Suspend", Lesser: true,
		Text: "Keys and sessions answer 403, and sweeps stop. Open charges go on to their end.",
	}
	if m.SuspendedAt != nil {
		state = form{Action: here + "/unsuspend", Title: "End the suspension", Button: "Resume", Lesser: true, Text: "Keys and sessions of before are valid again."}
	}
	own := func(name, label, hint, value string) field {
		return field{ID: name, Name: name, Label: label, Type: "text", Autocomplete: "off", Max: 20, Hint: hint, Decimal: true, Value: value}
	}
	return []form{state, {
		Action: here + "/hold", Title: "Hold", Button: "Hold", Lesser: true, Text: "Sweeps and refunds wait. A hold is made longer, never shorter.",
		Fields: []field{{
			ID: "until", Name: "until", Label: "Until the beginning of a day (UTC)", Type: "date", Autocomplete: "off", Max: 10, Required: true, Hint: "At most 30 days from now",
		}},
	}, {
		Action: here + "/terms", Title: "Own terms", Button: "Save",
		Text: "What is empty is as configured. In force for charges and payouts to come.",
		Fields: []field{
			own("fee_rate", "Fee rate", "A share: 0.004 is 0.4 percent", textOf(m.OwnFeeRate)),
			own("confirmations_required", "Blocks for a payment", "1 to 1000", textOf(m.Confirmations)),
			own("tolerance_percent", "Underpayment taken, percent", "0 to 100", textOf(m.Tolerance)),
			own("pending_charges_max", "Charges pending at the most", "", textOf(m.PendingMax)),
		},
	}}
}

func (v *visit) suspend() error { return v.changeMerchant("suspend", nil) }

// unsuspend ends the suspension.
func (v *visit) unsuspend() error { return v.changeMerchant("unsuspend", nil) }

// hold delays sweeps and refunds until the beginning of a day.
func (v *visit) hold() error {
	return v.changeMerchant("hold", map[string]string{"until": v.r.PostForm.Get("until") + "T00:00:00Z"})
}

// setTerms sets the merchant's own terms. It refuses a form with a missing field, because the
// API would treat the field as empty.
func (v *visit) setTerms() error {
	terms := map[string]*json.Number{}
	for _, name := range []string{"fee_rate", "confirmations_required", "tolerance_percent", "pending_charges_max"} {
		if !v.r.PostForm.Has(name) {
			return &apiError{Text: name + " is missing", Status: http.StatusBadRequest}
		}
		terms[name] = nil
		if text := v.r.PostForm.Get(name); text != "" {
			n := json.Number(text)
			terms[name] = &n
		}
	}
	return v.changeMerchant("terms", terms)
}

// changeMerchant sends a change of an account to the API and shows the account.
func (v *visit) changeMerchant(what string, body any) error {
	account := "/merchants/" + v.id()
	return v.change(account, account+"/"+what, body)
}

// tier has the numbers of a tier as they are typed.
type tier struct {
	Volume  json.Number `json:"volume_xmr"`
	FeeRate json.Number `json:"fee_rate"`
}

// spareTiers is the number of empty rows in the form. An operator who needs more sends the
// form again.
const spareTiers = 3

// maxTiers is the maximum number of rows in a form that is shown again after a refusal.
const maxTiers = 100

// fees shows the volume tiers.
func (v *visit) fees() error {
	var answer struct {
		Tiers   []tier      `json:"tiers"`
		Default json.Number `json:"default_fee_rate"`
	}
	if err := v.get("/api/admin/fee-tiers", &answer); err != nil {
		return err
	}
	f := form{
		Action: Root + "/fees", Title: "Change the tiers", Button: "Save all tiers",
		Text: "A tier whose fields are both empty is removed. In force for payouts to come.",
	}
	t := table{Columns: []string{"Confirmed in 30 days, from", "Fee rate"}, Empty: "There are no tiers: all have the configured rate, or one of their own."}
	rows := max(len(answer.Tiers)+spareTiers, min(len(v.r.PostForm["volume_xmr"]), maxTiers))
	for i, each := range append(answer.Tiers, make([]tier, rows-len(answer.Tiers))...) {
		if i < len(answer.Tiers) {
			t.Rows = append(t.Rows, []cell{plain(each.Volume.String() + " XMR"), plain(each.FeeRate.String())})
		}
		f.Fields = append(f.Fields, field{
			ID: fmt.Sprintf("volume-%d", i), Name: "volume_xmr", Label: fmt.Sprintf("Tier %d: from XMR", i+1), Type: "text",
			Value: each.Volume.String(), Autocomplete: "off", Max: 30, Decimal: true,
		}, field{
			ID: fmt.Sprintf("rate-%d", i), Name: "fee_rate", Label: fmt.Sprintf("Tier %d: fee rate", i+1), Type: "text",
			Value: each.FeeRate.String(), Autocomplete: "off", Max: 20, Decimal: true,
		})
	}
	return v.show(&page{
		Title: "Fees", Text: "Fee rates, as shares of a payout, of merchants without one of their own.",
		Facts: []fact{{"Configured rate, for those who reach no tier", plain(answer.Default.String())}}, Tables: []table{t}, Forms: []form{f},
	})
}

// setFees replaces all tiers with those of the form.
func (v *visit) setFees() error {
	volumes, rates := v.r.PostForm["volume_xmr"], v.r.PostForm["fee_rate"]
	if len(volumes) != len(rates) || len(volumes) == 0 {
		return &apiError{Text: "a field is missing", Status: http.StatusBadRequest}
	}
	tiers := []tier{}
	for i, volume := range volumes {
		switch {
		case volume == "" && rates[i] == "":
		case volume == "" || rates[i] == "":
			return &apiError{Text: fmt.Sprintf("tier %d has one of two fields", i+1), Status: http.StatusBadRequest}
		default:
			tiers = append(tiers, tier{json.Number(volume), json.Number(rates[i])})
		}
	}
	return v.change("/fees", "/fee-tiers", map[string][]tier{"tiers": tiers})
}
