package merchant_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
)

// TestTheKeypadKeepsItsPlace checks that the focus stays on the pressed key, for people who use
// the keyboard.
func TestTheKeypadKeepsItsPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.enterShop(t, b.signup(t), "")
	require.NotContains(t, v.page(t, "/till"), "autofocus")
	pressed := v.post(t, "/till", url.Values{"amount": {"1"}, "key": {"2"}, "currency": {"USD"}})
	require.Contains(t, v.page(t, pressed.header.Get("Location")), `value="2" formnovalidate autofocus`)
}

// TestARefusalIsReadFirst checks that a screen reader reads a refusal first.
func TestARefusalIsReadFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.enterShop(t, b.signup(t), "")
	require.Contains(t, v.post(t, "/ask", url.Values{"amount": {"x"}, "currency": {"EUR"}}).body, `<p class="notice warn" tabindex="-1" autofocus role="alert"`)
}

// TestAChargeOffersWhatIsPossible checks that a confirmed charge offers a refund and shows no
// time to pay. A page with the refund's form does not reload itself.
func TestAChargeOffersWhatIsPossible(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	id := b.charge(t, s, config.Live)
	refund := `action="/charges/` + id + `/refunds"`
	b.receive(t, id, money.OneXMR)
	a := v.send(t, http.MethodGet, "/charges/"+id, nil)
	require.NotContains(t, a.body, refund)
	require.Contains(t, a.body, "<dt>Expires</dt>")
	require.Equal(t, "15", a.header.Get("Refresh"), "its payment gets deeper")
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", id)
	a = v.send(t, http.MethodGet, "/charges/"+id, nil)
	require.Contains(t, a.body, refund)
	require.NotContains(t, a.body, "<dt>Expires</dt>")
	require.Empty(t, a.header.Get("Refresh"))
}

// TestASandboxOfAWalletHasNoButtons checks that the page has no buttons that could only be
// refused.
func TestASandboxOfAWalletHasNoButtons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		b       *bench
		buttons bool
	}{{setup(t), false}, {setup(t, isSimulated(t)), true}} {
		s := c.b.signup(t)
		v := c.b.enterShop(t, s, "").inSandbox(t)
		page := v.page(t, "/charges/"+c.b.charge(t, s, config.Sandbox))
		for text, there := range map[string]bool{"/test/pay": c.buttons, "paid from a test wallet": !c.buttons} {
			if there {
				require.Contains(t, page, text)
			} else {
				require.NotContains(t, page, text)
			}
		}
	}
}

func TestANewKeyIsOfTheModeThatIsLookedAt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.enterShop(t, b.signup(t), "")
	require.Contains(t, v.page(t, "/keys"), `<option value="live" selected>`)
	require.Contains(t, v.inSandbox(t).page(t, "/keys"), `<option value="sandbox" selected>`)
}

func TestAPayoutWithoutAnAddressSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	b.receive(t, id, money.OneXMR)
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", id)
	page := b.enterShop(t, s, "").page(t, "/payouts")
	require.Contains(t, page, "Payouts need one.")
	require.Contains(t, page, `<a class="button small" href="/settings">`)
}
