package pages

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/wire"
)

// Refunds lets customers claim refunds with the secret of a link.
type Refunds interface {
	// PublicRefund returns the refund of a link. It returns ErrNotFound if there is none or
	// the secret is wrong.
	PublicRefund(ctx context.Context, id, token string) (refund.PublicRefund, error)
	// ClaimRefund claims an amount of it to an address; 0 claims all that is left. Repeating a
	// claim changes nothing. Errors: ErrNotFound; ErrAmount if the refund has less left, or the
	// amount is too small; ErrInvalid if the refund cannot be paid to this address.
	ClaimRefund(ctx context.Context, id, token, address string, amount money.Piconero) error
}

// ErrAmount is returned if the amount of a claim was refused (400).
var ErrAmount = errors.New("pages: amount that cannot be claimed")

// claimPage is the page of a refund: its value, a form to claim it, and the progress of its
// claims.
type claimPage struct {
	kit.Frame
	Detail            string
	Name, Description string
	Rows              []row
	Form              *claimForm
	// Open is the link that shows the form for the remaining amount; empty if there is none.
	Open   string
	Claims []claimCard
	// Contact is there if the page sends the customer to the shop.
	Contact *contact
	Reload  *reload
}

// claimForm asks for the address of a refund.
type claimForm struct {
	Action string
	// Hint explains which amounts are allowed.
	Hint            string
	Address, Amount field
}

// claimCard shows a claim. Waits is a sentence, or empty.
type claimCard struct {
	Title, Waits string
	Rows         []row
	// Proofs prove the payment. There are none before it was sent.
	Proofs []proofRow
}

// proofRow is a text that proves a payment, with its label.
type proofRow struct{ Label, Text string }

// typedClaim holds the typed values of the form. wrong names the field that was refused, or is
// empty.
type typedClaim struct{ address, amount, wrong string }

func (s *Site) refundLink(w http.ResponseWriter, r *http.Request) {
	s.showRefund(w, r, http.StatusOK, typedClaim{})
}

// claimRefund handles the form. A form that is sent twice makes one claim.
func (s *Site) claimRefund(w http.ResponseWriter, r *http.Request) {
	id, token := chi.URLParam(r, "id"), chi.URLParam(r, "token")
	view, err := s.publicRefund(r)
	if err != nil {
		s.failRefund(w, r, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		s.showRefund(w, r, http.StatusBadRequest, typedClaim{wrong: "address"})
		return
	}
	typed := typedClaim{address: strings.TrimSpace(r.PostForm.Get("address")), amount: strings.TrimSpace(r.PostForm.Get("amount"))}
	amount := typed.check()
	if typed.wrong != "" {
		s.showRefund(w, r, http.StatusBadRequest, typed)
		return
	}
	if s.Admit != nil && !s.Admit(w, r) {
		s.TooMany(w, r)
		return
	}
	switch err := s.Refunds.ClaimRefund(r.Context(), id, token, typed.address, amount); {
	case errors.Is(err, ErrAmount):
		typed.wrong = "amount"
		s.showRefund(w, r, http.StatusBadRequest, typed)
	case errors.Is(err, ErrInvalid):
		typed.wrong = "address"
		s.showRefund(w, r, http.StatusBadRequest, typed)
	case err != nil:
		s.failRefund(w, r, err)
	default:
		f := s.frame(r)
		seeOther(w, r, f.Keep(account.RefundPath+view.ID+"/"+token))
	}
}

// check parses the amount and sets wrong if a value is invalid in every refund. It returns 0 for
// all that is left. Whether the refund has the amount left is not checked here, because a form
// that is sent twice has taken it already.
func (c *typedClaim) check() money.Piconero {
	if to, err := monero.ParseAddress(c.address); err != nil || to.Network != monero.Mainnet || to.Kind == monero.KindIntegrated {
		c.wrong = "address"
		return 0
	}
	if c.amount == "" {
		return 0
	}
	amount, err := money.ParseXMR(web.TypedAmount(c.amount))
	if err != nil || amount == 0 {
		c.wrong = "amount"
	}
	return amount
}

// publicRefund returns the refund of the request's link.
func (s *Site) publicRefund(r *http.Request) (refund.PublicRefund, error) {
	return s.Refunds.PublicRefund(r.Context(), chi.URLParam(r, "id"), chi.URLParam(r, "token"))
}

func (s *Site) failRefund(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, ErrNotFound) {
		s.say(w, r, http.StatusNotFound, "claim_none.title", "claim_none.detail")
		return
	}
	s.fail(w, r, err)
}

// showRefund shows the current page of a refund. After a refusal it includes the typed values.
func (s *Site) showRefund(w http.ResponseWriter, r *http.Request, status int, typed typedClaim) {
	view, err := s.publicRefund(r)
	if err != nil {
		s.failRefund(w, r, err)
		return
	}
	p := newClaimPage(s.frame(r), view, s.Now())
	open := r.URL.Query().Get("claim") == "open" || typed.wrong != ""
	path := account.RefundPath + view.ID + "/" + chi.URLParam(r, "token")
	p.ask(view, path, open, typed)
	p.reloads(path, view, r.URL.Query().Get("refresh") == "off")
	s.kit.Render(w, r, status, "claim.html", p)
}

func newClaimPage(f kit.Frame, v refund.PublicRefund, now time.Time) *claimPage {
	p := &claimPage{Frame: f, Name: v.Name, Description: v.Description}
	p.Business = v.Shop
	p.head(v)
	p.Rows = []row{{Label: f.T.Text("claim.amount"), Value: whole(v.AmountXMR)}}
	if v.FiatAmount != nil && v.FiatCurrency != nil {
		p.Rows = append(p.Rows, row{Label: f.T.Text("claim.value"), Value: fiat(*v.FiatAmount, *v.FiatCurrency)})
	}
	if v.LeftXMR > 0 {
		if v.LeftXMR < v.AmountXMR {
			p.Rows = append(p.Rows, row{Label: f.T.Text("claim.left"), Value: whole(v.LeftXMR)})
		}
		p.Rows = append(p.Rows, row{Label: f.T.Text("claim.until"), Value: f.T.Moment(time.Time(v.ExpiresAt), now)})
	}
	p.Rows = append(p.Rows, row{Label: f.T.Text("summary.reference"), Value: v.ID, Code: true})
	for _, c := range v.Claims {
		p.Claims = append(p.Claims, newClaimCard(f.T, c, now))
	}
	if needsShop(v) {
		p.Contact = contactOf(f.T, v.Shop, v.Contact)
	}
	return p
}

// needsShop reports whether the page of a refund sends the customer to the shop.
func needsShop(v refund.PublicRefund) bool {
	return v.Status == refund.Cancelled || v.Status == refund.Expired || slices.ContainsFunc(v.Claims, func(c refund.ClaimState) bool {
		return c.WaitsFor != nil && (*c.WaitsFor == refund.ForScreening || *c.WaitsFor == refund.ForPieces)
	})
}

// head sets the title and the detail for the refund's status.
func (p *claimPage) head(v refund.PublicRefund) {
	say := func(tone, title, detail string, args ...any) {
		p.Tone, p.Title, p.Detail = tone, p.T.Text(title), p.T.Text(detail, args...)
	}
	switch v.Status {
	case refund.AwaitingApproval:
		say("calm", "claim_waiting.title", "claim_waiting.detail")
	case refund.AwaitingPayment:
		if slices.ContainsFunc(v.Claims, isShops) {
			say("calm", "claim_unpaid.title", "claim_unpaid.detail")
			return
		}
		say("calm", "claim_approved.title", "claim_approved.detail")
	case refund.InProgress:
		say("calm", "claim_sent.title", "claim_sent.detail")
	case refund.Completed:
		say("good", "claim_paid.title", "claim_paid.detail", whole(v.AmountXMR))
	case refund.Cancelled:
		say("ended", "claim_cancelled.title", "claim_cancelled.detail")
	case refund.Expired:
		say("ended", "claim_expired.title", "claim_expired.detail")
	case refund.Open:
		if v.LeftXMR < v.AmountXMR {
			say("calm", "claim_rest.title", "claim_rest.detail", whole(v.LeftXMR))
			return
		}
		say("calm", "claim.title", "claim.detail", whole(v.AmountXMR))
	}
}

// ask shows the form while an amount is left: at once before the first claim, behind a link
// afterwards, because an open form stops the page from reloading.
func (p *claimPage) ask(v refund.PublicRefund, path string, open bool, typed typedClaim) {
	if v.LeftXMR == 0 {
		return
	}
	if v.LeftXMR < v.AmountXMR && !open {
		p.Open = withQuery(p.Keep(path), "claim=open")
		return
	}
	p.Form = &claimForm{
		Action: p.Keep(path), Hint: p.T.Text("claim.amount_hint", whole(min(refund.MinClaim, v.LeftXMR)), whole(v.LeftXMR)),
		Address: field{Name: "address", Value: typed.address}, Amount: field{Name: "amount", Value: typed.amount},
	}
	switch typed.wrong {
	case "address":
		p.Form.Address.Problem = problem{"address", p.T.Text("claim.wrong_address")}
	case "amount":
		p.Form.Amount.Problem = problem{"amount", p.T.Text("claim.wrong_amount", whole(v.LeftXMR))}
	default:
		return
	}
	p.Tone = "warn"
}

// reloads decides whether the page reloads itself: not after the refund has ended.
func (p *claimPage) reloads(path string, v refund.PublicRefund, still bool) {
	now, toggle := p.Keep(path), withQuery(p.Keep(path), "refresh=off")
	if still {
		now, toggle = toggle, now
	}
	p.Reload = reloading(&p.Frame, reload{Now: now, Toggle: toggle, Held: p.Form != nil}, !v.Status.Ended() && v.Status != refund.Open, still)
}

func withQuery(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

func newClaimCard(t kit.Translator, c refund.ClaimState, now time.Time) claimCard {
	card := claimCard{Title: whole(c.AmountXMR), Rows: []row{{Label: t.Text("claim.state"), Value: t.Text(claimText(c))}}}
	if c.Address != "" {
		card.Rows = append(card.Rows, row{Label: t.Text("claim.to"), Value: c.Address, Code: true})
	}
	at := c.CreatedAt
	for _, later := range []*wire.Time{c.SentAt, c.ConfirmedAt} {
		if later != nil {
			at = *later
		}
	}
	card.Rows = append(card.Rows, row{Label: t.Text("claim.when"), Value: t.Moment(time.Time(at), now)})
	if c.TxHash != nil {
		card.Rows = append(card.Rows, row{Label: t.Text("claim.transaction"), Value: *c.TxHash, Code: true})
	}
	if c.TxProof != nil {
		card.Proofs = append(card.Proofs, proofRow{t.Text("claim.proof_signed"), *c.TxProof})
	}
	if c.TxKey != nil {
		card.Proofs = append(card.Proofs, proofRow{t.Text("claim.proof_key"), *c.TxKey})
	}
	if c.WaitsFor != nil {
		card.Waits = t.Text(waitsText(*c.WaitsFor))
	}
	return card
}

// isShops reports whether a claim waits for a payment from the shop's own wallet.
func isShops(c refund.ClaimState) bool {
	return c.WaitsFor != nil && *c.WaitsFor == refund.ForShopPayment
}

// claimText returns the text for a claim's status.
func claimText(c refund.ClaimState) string {
	switch {
	case c.Status == refund.AwaitingApproval:
		return "claim_state.waiting"
	case isShops(c):
		return "claim_state.unpaid"
	case c.Status == refund.AwaitingPayment:
		return "claim_state.approved"
	case c.Status == refund.InProgress && c.SentAt == nil:
		return "claim_state.sending"
	case c.Status == refund.InProgress:
		return "claim_state.sent"
	case c.Status == refund.Completed:
		return "claim_state.paid"
	default:
		return "claim_state.cancelled"
	}
}

// waitsText returns the text that explains to a customer what a payment waits for.
func waitsText(w refund.Waits) string {
	return cmp.Or(map[refund.Waits]string{
		refund.ForMoney:       "claim_waits.money",
		refund.ForUnlock:      "claim_waits.unlock",
		refund.ForPayout:      "claim_waits.payout",
		refund.ForScreening:   "claim_waits.screening",
		refund.ForRetry:       "claim_waits.retry",
		refund.ForPieces:      "claim_waits.pieces",
		refund.ForChain:       "claim_waits.chain",
		refund.ForShopPayment: "claim_waits.shop_payment",
	}[w], "claim_waits.somebody")
}
