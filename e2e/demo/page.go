package main

import (
	"context"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
)

// fetch reads a page as a browser without script does.
func fetch(ctx context.Context, url string) (string, error) {
	return fetchWith(ctx, url, "")
}

// fetchWith reads a page that asks for a token; an empty one is not sent.
func fetchWith(ctx context.Context, url, token string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	return string(page), fixture.Check(resp.StatusCode == http.StatusOK, "%s answers %s", url, resp.Status)
}

func contains(page, text string) bool { return strings.Contains(html.UnescapeString(page), text) }
