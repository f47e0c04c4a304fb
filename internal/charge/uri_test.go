package charge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
)

// TestNamesInALinkAreCutAndEscaped checks that no text breaks the link or makes its QR code dense.
func TestNamesInALinkAreCutAndEscaped(t *testing.T) {
	t.Parallel()
	const address = "8address"
	for _, c := range []struct {
		due        money.Piconero
		name, text string
		want       string
	}{
		{money.OneXMR, "", "", "monero:8address?tx_amount=1"},
		{0, "", "", "monero:8address"},
		{0, "Tea", "", "monero:8address?recipient_name=Tea"},
		{money.OneXMR, "Tea & Co", " two\n pots ", "monero:8address?tx_amount=1&recipient_name=Tea%20%26%20Co&tx_description=two%20pots"},
		{money.OneXMR, "x&tx_amount=2#+", "", "monero:8address?tx_amount=1&recipient_name=x%26tx_amount%3D2%23%2B"},
		{money.OneXMR, strings.Repeat("ü", 20), "", "monero:8address?tx_amount=1&recipient_name=" + strings.Repeat("%C3%BC", 10)},
		{money.OneXMR, strings.Repeat("a", 59) + " b", "", "monero:8address?tx_amount=1&recipient_name=" + strings.Repeat("a", 59)},
	} {
		require.Equal(t, c.want, charge.NamedURI(address, c.due, c.name, c.text))
	}
	long := charge.NamedURI(address, money.OneXMR, strings.Repeat("Чай ", 100), strings.Repeat("Чай ", 100))
	require.LessOrEqual(t, len(long), len("monero:8address?tx_amount=1&recipient_name=&tx_description=")+60+120)
}
