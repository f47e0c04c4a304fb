package pages

import (
	"context"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

// taking is a refund that waits for its merchant after it was claimed.
type taking struct {
	mu sync.Mutex
	refunds
}

func (s *taking) PublicRefund(ctx context.Context, id, token string) (refund.PublicRefund, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refunds.PublicRefund(ctx, id, token)
}

func (s *taking) ClaimRefund(ctx context.Context, id, token, address string, amount money.Piconero) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.refunds.ClaimRefund(ctx, id, token, address, amount)
	s.view = claimed(refund.AwaitingApproval, refund.AwaitingApproval, s.view.AmountXMR.String())
	return err
}

// TestABrowserClaimsWithoutScript mistypes the address, corrects it with the keyboard only,
// and checks that the merchant is asked. When the link is opened again, it shows no form, so
// the claim cannot be sent twice.
func TestABrowserClaimsWithoutScript(t *testing.T) {
	t.Parallel()
	s := &taking{refunds: refunds{view: promised()}}
	site := httptest.NewServer(refundSite(s, nil))
	t.Cleanup(site.Close)
	tab, seen := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(site.URL+refundPath(s.view)),
		chromedp.SendKeys(chromedp.CSS("#address"), "4"+buyersOwn+"\r"),
		chromedp.WaitVisible(chromedp.CSS("#wrong-address")),
		chromedp.Clear(chromedp.CSS("#address")),
		chromedp.SendKeys(chromedp.CSS("#address"), buyersOwn+"\r"),
		chromedp.WaitVisible(chromedp.CSS(".claims")),
	))
	s.mu.Lock()
	require.Equal(t, []string{buyersOwn + " 0"}, s.claims)
	s.mu.Unlock()
	require.NoError(t, chromedp.Do(tab, chromedp.Navigate(site.URL+refundPath(promised())), chromedp.WaitVisible(chromedp.CSS(".claims"))))
	require.Empty(t, seen.Blocked())
}
