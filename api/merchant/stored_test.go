package merchant_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
)

// TestOneRecordTakesNoListAway creates charges with unexpected metadata, as they may have been
// stored before metadata was checked. The desk still shows them all.
func TestOneRecordTakesNoListAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	odd := []string{
		`{"buyer_info":"x"}`, `{"buyer_info":[1]}`, `{"buyer_info":null,"order_id":null}`, `{"buyer_info":{"size":1e999,"deep":{"a":[]}}}`, `{"Buyer_Info":7,"ORDER_ID":[]}`,
		`{"order_id":1e999}`, `{"order_id":{"a":1}}`, `{"order_id":"A-17","description":[{}]}`, `{"order_id":12345678901234567890}`, `[]`, `null`,
	}
	var charges []string
	for _, metadata := range odd {
		id := b.charge(t, s, "live")
		b.exec(t, "UPDATE charges SET metadata = $2 WHERE id = $1", id, metadata)
		charges = append(charges, id)
	}
	v := b.enterShop(t, s, "")
	list := v.page(t, "/charges")
	for _, id := range charges {
		require.Contains(t, list, id)
		require.Contains(t, v.page(t, "/charges/"+id), id)
	}
	require.Contains(t, list, "A-17")
	require.Contains(t, list, "12345678901234567890", "digit for digit")
	require.Contains(t, v.page(t, "/charges/"+charges[3]), "1e999")
	for _, path := range []string{"/", "/till", "/reports"} {
		v.page(t, path)
	}
}

// TestTheBuyersValuesAreAnObject checks that both surfaces refuse a wrong value of the reserved
// key, and that stored values of buyers stay readable.
func TestTheBuyersValuesAreAnObject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	plugin := token(b.scoped(t, s, "Plugin", permission.ModifyInvoices, permission.CreateInvoice))
	invoices := "/api/v1/stores/" + s.id + "/invoices"
	id := b.charge(t, s, "live")
	for _, wrong := range []string{`"x"`, `[1]`, `7`, `true`, `null`} {
		metadata := `{"metadata":{"buyer_info":` + wrong + `},"amount":5,"currency":"USD"}`
		refused := b.send(t, http.MethodPost, "/api/charges", key(s.live), metadata).require(t, http.StatusBadRequest, wrong)
		require.Contains(t, refused.body, "buyer_info")
		metadata = strings.Replace(metadata, `"amount":5`, `"amount":"5"`, 1)
		for _, r := range []request{
			{http.MethodPost, invoices, plugin, metadata}, {http.MethodPut, invoices + "/" + id, plugin, `{"metadata":{"buyer_info":` + wrong + `}}`},
		} {
			a := b.send(t, r.method, r.path, r.who, r.body)
			require.Equal(t, http.StatusUnprocessableEntity, a.status, "%s %s: %s", r.method, wrong, a.body)
			require.Contains(t, a.body, "metadata.buyer_info")
		}
	}
}
