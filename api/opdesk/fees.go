package opdesk

import (
	"fmt"
	"net/http"
)

type tier struct {
	Volume  number `json:"volume_xmr"`
	FeeRate number `json:"fee_rate"`
}

// spareTiers is the number of empty rows in the form. An operator who needs more sends the
// form again.
const spareTiers = 3

// maxTiers is the maximum number of rows in a form that is shown again after a refusal.
const maxTiers = 100

// fees shows the volume tiers.
func (v *visit) fees() error {
	var answer struct {
		Tiers   []tier `json:"tiers"`
		Default number `json:"default_fee_rate"`
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
			t.Rows = append(t.Rows, []cell{plain(xmr(each.Volume)), plain(each.FeeRate.String())})
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
			tiers = append(tiers, tier{number(volume), number(rates[i])})
		}
	}
	if err := v.post("/api/admin/fee-tiers", map[string][]tier{"tiers": tiers}, &struct{}{}); err != nil {
		return err
	}
	return v.done(Root + "/fees")
}
