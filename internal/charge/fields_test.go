package charge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
)

func TestFieldNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"": {}, "  ": {}, "email": {"email"}, " email , zip_2 ": {"email", "zip_2"}, "a,a": {"a"},
		"a,b,c,d,e,f,g,h,i,j,a": {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, strings.Repeat("a", 50): {strings.Repeat("a", 50)},
	} {
		got, err := charge.CheckFields(charge.SplitFields(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	for _, bad := range []string{"E", "a b", "a-b", "é", ",", "a,", "a,b,c,d,e,f,g,h,i,j,k", strings.Repeat("a", 51), "a\n"} {
		_, err := charge.CheckFields(charge.SplitFields(bad))
		if bad == "a\n" {
			require.NoError(t, err, "white space around a name in a text is dropped")
			continue
		}
		require.ErrorIs(t, err, charge.ErrFields, bad)
	}
	_, err := charge.CheckFields([]string{"a\n"})
	require.ErrorIs(t, err, charge.ErrFields)
}

func TestBuyerInfo(t *testing.T) {
	t.Parallel()
	c := charge.Charge{Status: charge.Pending, Fields: []string{"email", "note"}}
	require.NoError(t, charge.CheckBuyerInfo(c, nil))
	require.NoError(t, charge.CheckBuyerInfo(c, map[string]string{"note": strings.Repeat("ü", 500)}))
	require.ErrorIs(t, charge.CheckBuyerInfo(c, map[string]string{"note": strings.Repeat("ü", 501)}), charge.ErrBuyerInfo)
	require.ErrorIs(t, charge.CheckBuyerInfo(c, map[string]string{"email": "x", "other": "x"}), charge.ErrBuyerInfo)
	for _, over := range []charge.Status{charge.Confirmed, charge.Expired} {
		c.Status = over
		require.ErrorIs(t, charge.CheckBuyerInfo(c, map[string]string{"email": "x"}), charge.ErrBuyerInfo)
	}
}
