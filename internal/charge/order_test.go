package charge_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
)

func TestOrderIsTheTextThatWasSent(t *testing.T) {
	t.Parallel()
	options, long := "{}", strings.Repeat("x", charge.MaxOrderText+1)
	for metadata, want := range map[string]string{
		`{"order_id":"A-1"}`: "A-1", `{"order_id":17}`: "17", `{"order_id":1.50}`: "1.50", `{"order_id":"` + long + `"}`: long,
		`{"order_id":"a\u0000b"}`: "ab", `{"order_id":"\u0000"}`: "", `{"order_id":""}`: "", `{"order_id":null}`: "", `{"order_id":{}}`: "", `{}`: "", `x`: "",
		`{"orderId":"B-2"}`: "",
	} {
		order := charge.Charge{Metadata: json.RawMessage(metadata)}.Order()
		if want == "" {
			require.Nil(t, order, metadata)
			continue
		}
		require.Equal(t, want, *order, metadata)
		invoice := charge.Charge{Metadata: json.RawMessage(strings.Replace(metadata, "order_id", "orderId", 1)), Checkout: &options}
		require.Equal(t, want, *invoice.Order(), metadata)
	}
}
