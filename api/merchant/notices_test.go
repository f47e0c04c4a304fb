package merchant_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
)

const noticesPath = "/api/account/notices"

func TestNoticesAreChosenPerKind(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	require.JSONEq(t, `{"charge_paid":"off","underpaid":"off","late":"at_once","failed_delivery":"at_once","payout_sent":"off","refund_dropped":"at_once","new_login":"at_once","mails":false}`,
		b.as(t, s, http.MethodGet, noticesPath, "").require(t, http.StatusOK).body)
	for range 2 {
		a := b.as(t, s, http.MethodPost, noticesPath, `{"charge_paid":"daily","late":"off"}`).require(t, http.StatusOK)
		require.Equal(t, []any{"daily", "off", "at_once"}, []any{a.field(t, "charge_paid"), a.field(t, "late"), a.field(t, "failed_delivery")})
	}
	for body, says := range map[string]string{
		`{}`:                    "at least one kind",
		`{"late":"weekly"}`:     "off, at_once or daily",
		`{"late":null}`:         "at least one kind",
		`{"late":"off","x":"y"`: "",
	} {
		require.Contains(t, b.as(t, s, http.MethodPost, noticesPath, body).require(t, http.StatusBadRequest).body, says, body)
	}
	require.Equal(t, "off", b.as(t, s, http.MethodGet, noticesPath, "").field(t, "late"))
	require.Equal(t, "at_once", b.as(t, other, http.MethodGet, noticesPath, "").field(t, "late"))
}

func TestTheLinksOfMailsOpenPagesOfTheDesk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	const public = "https://pay.example"
	link := regexp.MustCompile(`href="` + public + `([^"]*)"`)
	opens := func(kind string, mail notice.Message, err error) {
		t.Helper()
		require.NoError(t, err, kind)
		links := link.FindAllStringSubmatch(mail.HTML, -1)
		require.Equal(t, kind == string(notice.Deleted), len(links) == 0, kind)
		for _, found := range links {
			v.page(t, html.UnescapeString(found[1]))
		}
	}
	mails := notice.NewTemplates()
	for _, kind := range notice.Kinds() {
		mail, err := mails.ChangeMail(notice.ChangeMail{ID: "an_1", To: "a@example.com", Kind: kind, PublicURL: public})
		opens(string(kind), mail, err)
	}
	for _, kind := range notice.BusinessKinds() {
		mail, err := mails.BusinessMail(notice.BusinessMail{
			ID: "bn_1", To: "a@example.com", PublicURL: public, Sums: []notice.BusinessSum{{Kind: kind, Count: 1}},
			First: []notice.BusinessLine{{Kind: kind, ResourceID: s.delivery}},
		})
		opens(string(kind), mail, err)
	}
}

func TestALinkOfAMailTurnsItsKindsOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	one := money.OneXMR
	require.NoError(t, notice.PutBusiness(t.Context(), b.store.Queries, notice.BusinessNotice{
		MerchantID: s.id, Kind: notice.Late, ResourceID: "ch_1", Amount: &one, At: b.clock.Now(),
	}))
	token, err := notice.SealOff(b.box, notice.OffLink{MerchantID: s.id, Kinds: []notice.BusinessKind{notice.Late}})
	require.NoError(t, err)
	path := notice.OffPath + token
	b.send(t, http.MethodGet, path, as{}, "").require(t, http.StatusOK)
	require.Equal(t, "at_once", b.as(t, s, http.MethodGet, noticesPath, "").field(t, "late"), "programs open links, too")
	for range 2 {
		b.sendAs(t, http.MethodPost, path, as{}, "application/x-www-form-urlencoded", "List-Unsubscribe=One-Click").require(t, http.StatusOK)
	}
	a := b.as(t, s, http.MethodGet, noticesPath, "")
	require.Equal(t, []any{"off", "at_once"}, []any{a.field(t, "late"), a.field(t, "failed_delivery")})
	require.Zero(t, b.count(t, "business_notices"), "what waited goes")
	for _, foreign := range []string{"x", token + "A", strings.ToUpper(token), strings.Repeat("A", 2000)} {
		require.Equal(t, http.StatusGone, b.send(t, http.MethodPost, notice.OffPath+foreign, anonymous(), "").status, foreign)
	}
}

func TestALoginFromElsewhereIsNoted(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.Mails = true })
	s := b.signup(t)
	logIn := func() {
		b.send(t, http.MethodPost, "/api/auth/login", as{}, `{"email":"`+s.email+`","password":"`+password+`"}`).require(t, http.StatusOK)
	}
	const noted = "business_notices WHERE kind = 'new_login'"
	logIn()
	require.Zero(t, b.count(t, noted), "from where the account was opened")
	b.exec(t, "UPDATE login_networks SET network = sha256('elsewhere')")
	logIn()
	logIn()
	require.Equal(t, 1, b.count(t, noted))
}
