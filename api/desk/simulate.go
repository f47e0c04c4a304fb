package desk

import (
	"slices"

	"github.com/go-chi/chi/v5"
)

// simulations are what can be done to a charge of the sandbox, and what the API is sent
// for it.
func simulations() []string { return []string{"pay", "half", "confirm", "reorg", "expire"} }

// sandboxForms pay a charge of the sandbox.
func (v *visit) sandboxForms(here string, c chargeAnswer) []form {
	button := func(what, title, text string) form {
		return form{Action: here + "/test/" + what, Title: v.t(title), Text: text, Button: v.t(title), Lesser: what != "pay"}
	}
	var all []form
	if c.Due.String() != "" && atomic(c.Due).Sign() > 0 {
		all = append(all, button("pay", "sandbox.pay", v.t("sandbox.pay_text")), button("half", "sandbox.half", ""))
	}
	if len(c.Payments) > 0 {
		all = append(all, button("confirm", "sandbox.confirm", v.t("sandbox.confirm_text")), button("reorg", "sandbox.reorg", ""))
	}
	if c.Status == "pending" {
		all = append(all, button("expire", "sandbox.expire", ""))
	}
	return all
}

// simulate does something to a charge of the sandbox, and shows it.
func (v *visit) simulate() error {
	what := chi.URLParam(v.r, "what")
	if !slices.Contains(simulations(), what) {
		return v.redirect("/charges/" + v.id())
	}
	var content any = body{}
	switch what {
	case "half":
		what, content = "pay", body{"part": amount("0.5")}
	case "expire":
		content = nil
	}
	if err := v.post("/api/test/charges/"+v.id()+"/"+what, content, &struct{}{}); err != nil {
		return err
	}
	return v.done("/charges/" + v.id())
}
