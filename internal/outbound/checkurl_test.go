package outbound_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbound"
)

const onion = "duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion"

func TestCheckURLAccepts(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://example.com", "http://example.com/hook?a=b#c", "HTTPS://Example.COM:8443/", "http://example.com./",
		"http://a_b.example.com/", "http://xn--mnchen-3ya.example/", "http://münchen.example/", "http://1.example.com/", "http://1e100.net/",
		"http://127.0.0.1/", "http://10.0.0.1:8080/x", "http://192.168.1.1", "http://169.254.169.254/", "http://localhost:9000/",
		"http://[::1]/", "http://[2606:4700::1111]:80/", "http://[::ffff:127.0.0.1]/", "http://8.8.8.8/",
		"https://example.com/" + strings.Repeat("a", outbound.MaxURL-len("https://example.com/")),
	} {
		require.NoError(t, outbound.CheckURL(url, false), url)
		require.NoError(t, outbound.CheckURL(url, true), url)
	}
}

func TestCheckURLRefuses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "example.com", "//example.com", "ftp://example.com", "file:///etc/passwd", "javascript:alert(1)", "http:example.com",
		"gopher://127.0.0.1:6379/_x", "http://", "http:///path", "http://?q", "http://:80/",
		"http://user@example.com/", "http://user:pass@example.com/", "http://@example.com/",
		"http://example.com:0/", "http://example.com:65536/", "http://example.com:/", "http://example.com:http/",
		"http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://0x7f000001/", "http://0X7F000001/", "http://2130706433/", "http://017700000001/",
		"http://127.1/", "http://127.0.1/", "http://127.0.0.1./", "http://127.0.0.01/", "http://127.0.0.256/", "http://1.2.3.4.5/", "http://0/",
		"http://0x/", "http://１２７.0.0.1/", "http://127。0。0。1/", "http://①②⑦.0.0.1/",
		"http://[fe80::1%25eth0]/", "http://[127.0.0.1]/", "http://[::1/", "http://[]/", "http://::1/",
		"http://exa mple.com/", "http://exa\tmple.com/", "http://example.com\r\nX: y/", "http://ex%61mple.com/", "http://a..b/", "http://.example.com/",
		"http://exa,mple.com/", "http://exa!mple.com/", "http://" + strings.Repeat("a", 64) + ".com/", "http://" + strings.Repeat("a.", 130) + "com/",
		"https://example.com/" + strings.Repeat("a", outbound.MaxURL),
	} {
		require.ErrorIs(t, outbound.CheckURL(url, false), outbound.ErrURL, "%q", url)
		require.ErrorIs(t, outbound.CheckURL(url, true), outbound.ErrURL, "%q", url)
	}
}

func TestOnionHostsNeedTor(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://" + onion + "/hook", "https://shop." + onion, "http://" + strings.ToUpper(onion) + "./"} {
		require.NoError(t, outbound.CheckURL(url, true), url)
		require.ErrorIs(t, outbound.CheckURL(url, false), outbound.ErrURL, url)
	}
	require.NoError(t, outbound.CheckURL("http://onion.example.com/", false))
}

func TestReasonsDoNotRepeatTheURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"http://u:hunter2@example.com/", "http://hunter2 x/", "hunter2://x", "http://hunter2:99999/"} {
		require.NotContains(t, outbound.CheckURL(url, false).Error(), "hunter2")
	}
}
