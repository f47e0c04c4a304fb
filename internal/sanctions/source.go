package sanctions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
)

const (
	// fetchTimeout bounds the download of a list of about 100 MB.
	fetchTimeout = 10 * time.Minute
	// maxList is larger than any published list, in bytes.
	maxList = 1 << 30
	// maxRedirects is the maximum number of redirects from the publisher's address.
	maxRedirects = 5
)

// errNoSource means that neither a file nor a URL is configured.
var errNoSource = errors.New("neither OFAC_SDN_FILE nor OFAC_SDN_URL is set")

// Source is the source of the list: a file if there is one, else a URL.
type Source struct {
	File string
	URL  string
	// Client fetches the URL.
	Client *http.Client
}

// NewSource returns the configured source, and false if there is none.
func NewSource(c config.Sanctions, o config.Outbound) (Source, bool) {
	policy, options := outbound.Policy{AllowedNets: o.WebhookAllowedNets}, outbound.Options{Timeout: fetchTimeout}
	client := outbound.NewDirect(policy, options)
	if c.SanctionsUseProxy {
		client = outbound.NewProxied(o.SOCKS5Proxy, policy, options)
	}
	client.CheckRedirect = redirect
	return Source{File: c.SanctionsFile, URL: c.SanctionsURL, Client: client}, c.SanctionsFile != "" || c.SanctionsURL != ""
}

// redirect follows the publisher's redirects to its storage, but not from https
// to http.
func redirect(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || (via[0].URL.Scheme == "https" && next.URL.Scheme != "https") {
		return http.ErrUseLastResponse
	}
	return nil
}

// Read reads and parses the list as a stream. Its errors contain no URL.
func (s Source) Read(ctx context.Context) (List, error) {
	stream, err := s.open(ctx)
	if err != nil {
		return List{}, err
	}
	defer func() { _ = stream.Close() }()
	return Parse(io.LimitReader(stream, maxList))
}

func (s Source) open(ctx context.Context) (io.ReadCloser, error) {
	switch {
	case s.File != "":
		f, err := os.Open(s.File)
		if err != nil {
			return nil, fmt.Errorf("OFAC_SDN_FILE: %w", err)
		}
		return f, nil
	case s.URL != "":
		return s.fetch(ctx)
	}
	return nil, errNoSource
}

func (s Source) fetch(ctx context.Context) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("OFAC_SDN_URL: %w", outbound.WithoutURL(err))
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("OFAC_SDN_URL: %w", outbound.WithoutURL(err))
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("OFAC_SDN_URL: status %d", resp.StatusCode)
	}
	return resp.Body, nil
}
