package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"

	"github.com/durapay/durapay/e2e/receiver"
)

// hear waits for an event at the merchant's receiver and verifies it.
func (d *demo) hear(ctx context.Context, event, id string) error {
	got, err := d.hooks.Await(ctx, receiver.Of(event, id))
	if err != nil {
		return fmt.Errorf("waiting for %s: %w", event, err)
	}
	if err := check(got.Signed(d.webhook.Secret), "the signature of %s is wrong", event); err != nil {
		return err
	}
	sayf("event %s arrived, its signature is right", event)
	return nil
}

// fetch reads a page as a browser without script does.
func fetch(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
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
	return string(page), check(resp.StatusCode == http.StatusOK, "%s answers %s", url, resp.Status)
}

// contains looks for a text in a page.
func contains(page, text string) bool { return strings.Contains(html.UnescapeString(page), text) }
