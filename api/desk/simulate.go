package desk

import (
	"slices"

	"github.com/go-chi/chi/v5"
)

// simulations are what can be done to a charge of the sandbox, and what the API is sent
// for it.
func simulations() []string { return []string{"pay", "half", "confirm", "reorg", "expire"} }

// sandboxButtons pay a charge of the sandbox, where it is paid by buttons.
func (v *visit) sandboxButtons(c chargeAnswer) part {
	p := part{Title: v.t("sandbox.try"), Row: true}
	if !v.Simulated {
		p.Text = v.t("refused.on_chain")
		return p
	}
	button := func(what, text string) {
		p.Forms = append(p.Forms, form{Action: "/charges/" + c.ID + "/test/" + what, Button: v.t(text), Small: true, First: len(p.Forms) == 0 && what != "expire"})
	}
	if c.Due.String() != "" && atomic(c.Due).Sign() > 0 {
		p.Text = v.t("sandbox.pay_text")
		button("pay", "sandbox.pay")
		button("half", "sandbox.half")
	}
	if len(c.Payments) > 0 {
		p.Text = v.t("sandbox.confirm_text")
		button("confirm", "sandbox.confirm")
		button("reorg", "sandbox.reorg")
	}
	if c.Status == "pending" {
		button("expire", "sandbox.expire")
	}
	return p
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
