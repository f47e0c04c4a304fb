package desk

import (
	"slices"

	"github.com/go-chi/chi/v5"
)

// simulations returns the actions for a sandbox charge. The names are those of the API.
func simulations() []string { return []string{"pay", "half", "confirm", "reorg", "expire"} }

// sandboxButtons returns the buttons that pay a sandbox charge, if buttons pay it.
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

// retryForms returns a form that retries the pending deliveries of a sandbox charge.
func (v *visit) retryForms(c chargeAnswer, all []deliveryAnswer) []form {
	waits := func(d deliveryAnswer) bool { return d.Status == "pending" && d.Attempts > 0 }
	if !v.sandbox() || !slices.ContainsFunc(all, waits) {
		return nil
	}
	return []form{{Action: "/charges/" + c.ID + "/retry-deliveries", Button: v.t("sandbox.retry"), Small: true}}
}

// retryDeliveries makes the next attempt of a charge's deliveries now.
func (v *visit) retryDeliveries() error {
	if err := v.post("/api/test/charges/"+v.id()+"/retry-deliveries", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/charges/" + v.id())
}

// simulate applies an action to a sandbox charge and shows the charge.
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
