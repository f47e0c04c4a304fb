package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MaxURL is the maximum length of a webhook's URL, in bytes.
const MaxURL = 2048

const maxHost = 253

// CheckURL checks a merchant's URL for a webhook. It accepts http and https
// without user info, at most MaxURL bytes long. An IP address must be in its
// plain notation. An onion host needs useTor. For other URLs it returns ErrURL
// with a reason that may be shown. It accepts private addresses: they are
// refused when they are dialled.
func CheckURL(raw string, useTor bool) error {
	if len(raw) > MaxURL {
		return refuse("longer than %d bytes", MaxURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || !utf8.ValidString(raw):
		return refuse("not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return refuse("must begin with http:// or https://")
	case u.User != nil:
		return refuse("user info is not allowed")
	case !validPort(u):
		return refuse("the port is not valid")
	case isOnion(u.Hostname()) && !useTor:
		return refuse("an onion host needs use_tor")
	}
	return checkHost(u)
}

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrURL, fmt.Sprintf(format, args...))
}

func validPort(u *url.URL) bool {
	if strings.HasSuffix(u.Host, ":") {
		return false
	}
	if u.Port() == "" {
		return true
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

func checkHost(u *url.URL) error {
	if strings.HasPrefix(u.Host, "[") {
		if addr, err := netip.ParseAddr(u.Hostname()); err != nil || !addr.Is6() || addr.Zone() != "" {
			return refuse("the host is not an IPv6 address")
		}
		return nil
	}
	host, err := asciiHost(strings.TrimSuffix(u.Hostname(), "."))
	if err != nil || !isHostName(host) {
		return refuse("the host is not valid")
	}
	if !looksNumeric(host) {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err != nil || addr.String() != u.Hostname() {
		return refuse("write the address as four decimal numbers")
	}
	return nil
}

// asciiHost converts an international name as net/http does before it dials.
func asciiHost(host string) (string, error) {
	if strings.IndexFunc(host, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return host, nil
	}
	return idna.Lookup.ToASCII(host)
}

// isHostName accepts letters, digits, hyphens and underscores between dots.
func isHostName(host string) bool {
	if host == "" || len(host) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		if strings.Trim(strings.ToLower(label), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}
