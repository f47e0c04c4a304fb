package desk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRatesAreShownAsPercent(t *testing.T) {
	t.Parallel()
	for rate, shown := range map[number]string{"0.01": "1 %", "0.005": "0.5 %", "0": "0 %", "0.0025": "0.25 %", "1": "100 %"} {
		require.Equal(t, shown, percent(rate))
	}
}

func TestAMemberOfAnotherTypeIsNoZero(t *testing.T) {
	t.Parallel()
	a := answer{"total_xmr": []byte(`"much"`), "none": []byte("null")}
	require.Panics(t, func() { a.xmr("total_xmr") })
	require.Zero(t, a.xmr("missing"))
	require.Zero(t, a.xmr("none"))
}

func TestTheKeypadTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, key, becomes string }{
		{"", "7", "7"}, {"7", ".", "7."}, {"7.", ".", "7."}, {"", ".", "0."}, {"0", "5", "5"}, {"12", backspace, "1"}, {"", backspace, ""}, {"7,5", "0", "7.50"}, {"abc", "1", ""},
		{"123456789012", "3", "123456789012"},
	} {
		require.Equal(t, c.becomes, typedAmount(map[string][]string{"amount": {c.typed}, "key": {c.key}}), "%s and %s", c.typed, c.key)
	}
}
