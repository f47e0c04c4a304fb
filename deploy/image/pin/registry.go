package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// dockerHub is the registry of images without a registry in their name.
const dockerHub = "registry-1.docker.io"

// maxManifest is the maximum length of a registry's answer, in bytes.
const maxManifest = 4 << 20

// registry queries registries for the digests of tags.
type registry struct {
	client *http.Client
	// base is the URL of a registry's host.
	base func(host string) string
}

// digest returns the digest of the list of an image's platforms, or of the image if it has one
// platform. It computes the digest from the manifest itself. A registry that returns a
// different digest causes an error.
func (r *registry) digest(ctx context.Context, i image) (string, error) {
	host, repository := i.where()
	at := r.base(host) + "/v2/" + repository + "/manifests/" + url.PathEscape(i.tag)
	got, err := r.get(ctx, at, "")
	if err == nil && got.status == http.StatusUnauthorized {
		var token string
		if token, err = r.token(ctx, got.header.Get("WWW-Authenticate")); err != nil {
			return "", err
		}
		got, err = r.get(ctx, at, token)
	}
	if err != nil {
		return "", err
	}
	if got.status != http.StatusOK {
		return "", fmt.Errorf("%s answered %d", host, got.status)
	}
	sum := sha256.Sum256(got.body)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if said := got.header.Get("Docker-Content-Digest"); said != "" && said != digest {
		return "", fmt.Errorf("%s says digest %s of a manifest with %s", host, said, digest)
	}
	return digest, nil
}

// answer is a registry's complete answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (r *registry) get(ctx context.Context, at, token string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Accept", strings.Join([]string{
		"application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json",
		"application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json",
	}, ", "))
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxManifest+1))
	if err == nil && len(body) > maxManifest {
		err = errors.New("the manifest is too large")
	}
	return answer{resp.StatusCode, resp.Header, body}, err
}

var challenge = regexp.MustCompile(`(realm|service|scope)="([^"]*)"`)

// token requests a token for public images from the address that the registry names.
func (r *registry) token(ctx context.Context, asked string) (string, error) {
	said := map[string]string{}
	for _, pair := range challenge.FindAllStringSubmatch(asked, -1) {
		said[pair[1]] = pair[2]
	}
	if said["realm"] == "" {
		return "", errors.New("the registry asks for a login")
	}
	query := url.Values{"service": {said["service"]}, "scope": {said["scope"]}}
	got, err := r.get(ctx, said["realm"]+"?"+query.Encode(), "")
	if err != nil {
		return "", err
	}
	var given struct {
		Token  string `json:"token"`
		Access string `json:"access_token"`
	}
	if err := json.Unmarshal(got.body, &given); err != nil || got.status != http.StatusOK {
		return "", fmt.Errorf("the registry gives no token: status %d", got.status)
	}
	return cmp.Or(given.Token, given.Access), nil
}
