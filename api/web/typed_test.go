package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/web"
)

func TestAmountsAreTakenAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	for typed, number := range map[string]string{
		"12.5": "12.5", "12,5": "12.5", "12.": "12", ".5": "0.5", ",5": "0.5", "007": "7", "0": "0", "00.50": "0.50", "٧٫٥": "7.5", "۱۲": "12",
		// A text that is not an amount stays unchanged, so that the caller can refuse it.
		"": "", "abc": "abc", "1,234.5": "1,234.5", "1,250": "1,250", "1.2.3": "1.2.3", "-5": "-5", "1e5": "1e5",
	} {
		require.Equal(t, number, web.TypedAmount(" "+typed+"\n"), typed)
	}
}

func TestCodesAreTakenAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"123456", "123 456", " 123\u00a0456 ", "123-456", "12 34 56", "١٢٣٤٥٦"} {
		totp, backup := web.TypedCode(typed)
		require.Equal(t, "123456", totp, typed)
		require.Empty(t, backup, typed)
	}
	for _, typed := range []string{"abcd-efgh-2345-ijkl", "abcdefgh2345ijkl", "abcd efgh 2345 ijkl", "abcd–efgh–2345–ijkl"} {
		totp, backup := web.TypedCode(typed)
		require.Empty(t, totp, typed)
		require.Equal(t, "abcdefgh2345ijkl", backup, typed)
	}
	totp, backup := web.TypedCode("  ")
	require.Empty(t, totp+backup)
}

func TestLinksOfPages(t *testing.T) {
	t.Parallel()
	for raw, link := range map[string]string{
		"https://shop.example/thanks?o=1": "https://shop.example/thanks?o=1", "http://shop.example": "http://shop.example", "HTTPS://shop.example/": "HTTPS://shop.example/",
		"https://shop.example/100%": "https://shop.example/100%25", "https://shop.example/100%/%zz/%2": "https://shop.example/100%25/%25zz/%252",
		"https://shop.example/?a=%%41%":  "https://shop.example/?a=%25%41%25",
		"https://shop.example/%E2%82%AC": "https://shop.example/%E2%82%AC",
		"":                               "", "shop.example": "", "javascript:alert(1)": "", "https://": "", "https://:443/": "", "//shop.example/": "", "https://a:b@shop.example/": "", "https://a@shop.example/": "",
		"https://shop.example/\x00": "", "https://shop.example/#\x00": "", "https://shop.example/#\r\nSet-Cookie: a": "", "ftp://shop.example/": "",
	} {
		require.Equal(t, link, web.Link(raw), raw)
	}
}

func FuzzLink(f *testing.F) {
	for _, seed := range []string{"https://shop.example/100%", "http://a/%%%", "https://a@b/", "https://shop.example/%E2%82%AC?x=%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		link := web.Link(raw)
		if link == "" {
			return
		}
		require.Equal(t, link, web.Link(link), "what is stored is shown")
		u, err := url.Parse(link)
		require.NoError(t, err)
		require.NotEmpty(t, u.Hostname())
		require.True(t, strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https"))
	})
}

func FuzzTyped(f *testing.F) {
	for _, seed := range []string{"1,5", "٧٫٥", "123 456", "abcd-efgh", "1,250", "%"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, web.TypedAmount(text), web.TypedAmount(web.TypedAmount(text)), "read again it is the same")
		totp, backup := web.TypedCode(text)
		require.True(t, totp == "" || backup == "")
	})
}
