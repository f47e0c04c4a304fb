package service

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzPlainText checks that a text shown to customers contains no tag and no control character.
func FuzzPlainText(f *testing.F) {
	for _, seed := range []string{
		"<b>Two</b> tickets", "<<b>b>", "<script>x</script>y", "a < b > c", "<", "<!-- x -->y", "<![CDATA[x]]>", "&lt;b&gt;", "<style>", "<textarea><b>", "<title><b>", "<plaintext><b>", "a\u202eb", "\x00", "<a\n>x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // refused with the body
		}
		plain := plainText(text)
		require.Equal(t, plain, plainText(plain), "%q became %q", text, plain)
		require.NotContains(t, plain, "\n")
		require.NotContains(t, plain, "\x00")
	})
}

// FuzzChargeID checks that an identifier is looked up only if it has the form of a charge's
// identifier.
func FuzzChargeID(f *testing.F) {
	for _, seed := range []string{"ch_0123456789abcdef01234567", "ch_0123456789abcdef01234567\n", "ch_0123456789ABCDEF01234567", "ch_"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if IsChargeID(id) {
			require.Len(t, id, 27)
			require.Empty(t, strings.Trim(id[3:], "0123456789abcdef"))
		}
	})
}
