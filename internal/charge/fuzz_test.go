package charge_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
)

// FuzzFields checks that accepted names are the names that were sent, once
// each, within the limits of the contract, and that they mean the same when
// they are sent back.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{"", "email", "email,phone", " email , phone ", "email,,phone", "Email", "e-mail", "a,a,a,a,a,a,a,a,a,a,a", "a,b,c,d,e,f,g,h,i,j,k", strings.Repeat("a", 51), "é", "a\n", ","} {
		f.Add(seed)
	}
	name := regexp.MustCompile(`\A[a-z0-9_]{1,50}\z`)
	f.Fuzz(func(t *testing.T, text string) {
		sent := charge.SplitFields(text)
		fields, err := charge.CheckFields(sent)
		if err != nil {
			require.ErrorIs(t, err, charge.ErrFields)
			return
		}
		require.NotNil(t, fields)
		require.LessOrEqual(t, len(fields), charge.MaxFields)
		for i, field := range fields {
			require.Regexp(t, name, field)
			require.NotContains(t, fields[:i], field)
			require.Contains(t, sent, field)
		}
		for _, field := range sent {
			require.Contains(t, fields, field)
		}
		again, err := charge.CheckFields(charge.SplitFields(strings.Join(fields, ",")))
		require.NoError(t, err)
		require.Equal(t, fields, again)
	})
}

// FuzzBuyerValues checks that only values for names that the charge asks for
// are accepted, each of at most 500 characters.
func FuzzBuyerValues(f *testing.F) {
	f.Add("email", "email", "buyer@example.com")
	f.Add("email", "phone", "1")
	f.Add("email", "email", strings.Repeat("é", 501))
	f.Fuzz(func(t *testing.T, asked, name, value string) {
		fields := charge.SplitFields(asked)
		err := charge.CheckBuyerValues(fields, map[string]string{name: value})
		if err != nil {
			require.ErrorIs(t, err, charge.ErrBuyerInfo)
			return
		}
		require.True(t, slices.Contains(fields, name))
		require.LessOrEqual(t, utf8.RuneCountInString(value), 500)
	})
}
