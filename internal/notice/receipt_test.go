package notice_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/notice"
)

// TestReceiptsSayTheSameInEveryLanguage makes a receipt in each language and checks that no text is
// missing.
func TestReceiptsSayTheSameInEveryLanguage(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("texts/*.json")
	require.NoError(t, err)
	require.Len(t, files, 6)
	english, err := os.ReadFile("texts/en.json")
	require.NoError(t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, strings.Count(string(english), `": "`), strings.Count(string(raw), `": "`), file)
		require.NotContains(t, string(raw), `": ""`, file)
		language := strings.TrimSuffix(filepath.Base(file), ".json")
		require.Equal(t, language, notice.ReceiptLanguage(language))
		r := notice.Receipt{
			ID: "rm_1", To: "buyer@example.com", Language: language, Shop: "Tea <b>", Item: "Two\n pots", Contact: "help@shop.example",
			Price: "12.50 EUR", Received: "0.1 XMR", ConfirmedAt: time.Date(2026, 11, 21, 13, 0, 0, 0, time.UTC), Reference: "ch_1",
			Link: "https://pay.example/pay/ch_1/receipt?lang=" + language,
		}
		m, err := notice.NewTemplates().Receipt(r)
		require.NoError(t, err)
		require.Contains(t, m.Subject, "Tea <b>", file)
		for _, text := range []string{"Two pots", "12.50 EUR", "0.1 XMR", "2026-11-21 13:00 UTC", "ch_1", r.Link, "help@shop.example"} {
			require.Contains(t, m.Text, text, file)
			require.Contains(t, m.HTML, text, file)
		}
		require.NotContains(t, m.HTML, "<b>")
		r.Shop, r.Item, r.Contact = "", "", ""
		m, err = notice.NewTemplates().Receipt(r)
		require.NoError(t, err)
		require.NotContains(t, m.Subject+m.Text, "{1}", file)
		require.NotContains(t, m.Text, "()", file)
	}
	for _, unknown := range []string{"", "xx", "../en", "en/../de"} {
		require.Equal(t, "en", notice.ReceiptLanguage(unknown))
	}
}

// TestReceiptsAndChargesNameEachOther turns one identifier into the other.
func TestReceiptsAndChargesNameEachOther(t *testing.T) {
	t.Parallel()
	id := notice.ReceiptID("ch_0123456789abcdef01234567")
	require.Equal(t, "rm_0123456789abcdef01234567", id)
	require.Equal(t, "ch_0123456789abcdef01234567", notice.ChargeOfReceipt(id))
}
