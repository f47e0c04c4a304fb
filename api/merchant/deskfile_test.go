package merchant_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// TestTheListOfChargesIsNarrowedAndSaved narrows the list by chips and amounts, and saves it as a file.
func TestTheListOfChargesIsNarrowedAndSaved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	require.Contains(t, v.page(t, "/charges?lang=en"), "No charges yet")
	ids := make([]string, 130)
	for i := range ids {
		b.clock.advance(1000)
		ids[i] = b.charge(t, s, config.Live)
	}
	b.exec(t, "UPDATE charges SET amount = 99.5, description = '=1+1', order_id = 'A-17', metadata = '{\"order_id\":\"A-17\"}' WHERE id = $1", ids[3])
	b.exec(t, "UPDATE charges SET order_id = '@A-18', metadata = '{\"order_id\":\"@A-18\"}' WHERE id = $1", ids[4])
	page := v.page(t, "/charges?amount_from=99,5&amount_to=100")
	require.Equal(t, []string{ids[3]}, idsOn(t, page, "charges"))
	require.Contains(t, page, `href="/charges.csv?amount_from=99%2C5&amp;amount_to=100"`)
	require.Contains(t, page, `<a href="/charges?amount_from=99%2C5&amp;amount_to=100&amp;invoice_status=Settled">Paid</a>`, "a chip keeps the search")
	require.Contains(t, v.page(t, "/charges?attention=late"), `<a href="/charges?attention=late" aria-current="true">Paid late</a>`)
	require.Contains(t, v.page(t, "/charges?invoice_status=Settled"), "No charge matches")
	require.Equal(t, http.StatusBadRequest, v.send(t, http.MethodGet, "/charges?amount_from=x", nil).status)
	file := v.send(t, http.MethodGet, "/charges.csv", nil)
	require.Equal(t, "text/csv; charset=utf-8", file.header.Get("Content-Type"))
	lines := strings.Split(strings.TrimSpace(file.body), "\n")
	require.Len(t, lines, 131, "all of them, and the heading")
	require.Contains(t, file.body, ",99.5,")
	require.Contains(t, file.body, ",A-17,'=1+1,", "a spreadsheet runs no text")
	require.Contains(t, file.body, ",'@A-18,", "nor an order")
	require.Len(t, strings.Split(strings.TrimSpace(v.send(t, http.MethodGet, "/charges.csv?text=A-17", nil).body), "\n"), 2)
}

// TestTheFileOfAListHasItsFirstCharges saves a list that is longer than the file.
func TestTheFileOfAListHasItsFirstCharges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.charge(t, s, config.Live)
	b.exec(t, `INSERT INTO charges SELECT (jsonb_populate_record(c, jsonb_build_object(
		'id', 'ch_' || lpad(n::text, 24, '0'), 'subaddress_index', n + 5000, 'subaddress', 'a' || n, 'status', 'expired'))).* FROM charges c, generate_series(1, 10100) n`)
	file := b.enterShop(t, s, "").send(t, http.MethodGet, "/charges.csv", nil).require(t, http.StatusOK)
	require.Equal(t, 10_001, strings.Count(file.body, "\n"), "10,000 charges, and the heading")
}

// TestAFileThatEndsEarlyIsCutOff saves a list of which a part cannot be read.
func TestAFileThatEndsEarlyIsCutOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	unreadable := b.charge(t, s, config.Live)
	for range 110 {
		b.clock.advance(1000)
		b.charge(t, s, config.Live)
	}
	b.exec(t, "UPDATE charges SET xmr_rate = 'NaN' WHERE id = $1", unreadable)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/charges.csv", nil)
	require.NoError(t, err)
	req.Header.Set("Cookie", "__Host-durapay_desk="+b.enterShop(t, s, "").cookie)
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer res.Body.Close()
	_, err = io.ReadAll(res.Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "no browser takes it for the whole list")
}
