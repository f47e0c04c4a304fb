package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const compose = `services:
  postgres:
    image: postgres:17.6-bookworm
  ui:
    image: temporalio/ui:2.49.1
  ours:
    image: durapay:${DURAPAY_TAG:-local}
  wallet:
    image: durapay-monero:0.18.5.3
`

const dockerfile = "FROM golang:1.26.8-bookworm AS build\nARG DEBIAN_SNAPSHOT=20200101T000000Z\nFROM gcr.io/distroless/static-debian12:nonroot\n"

var now = time.Date(2026, 11, 20, 13, 14, 15, 0, time.UTC)

// manifest returns the fake registry's answer for a path.
func manifest(path string) []byte { return fmt.Appendf(nil, `{"of": %q}`, path) }

func digestOf(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// serve starts a fake registry, which requires a token like Docker Hub.
func serve(t *testing.T, lies bool) *registry {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("GET /token", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"token": %q}`, r.FormValue("service")+" "+r.FormValue("scope"))
	})
	mux.HandleFunc("GET /v2/", func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/gone") {
			http.NotFound(w, r)
			return
		}
		repository, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/"), "/manifests/")
		scope := "repository:" + repository + ":pull"
		if r.Header.Get("Authorization") != "Bearer hub "+scope {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="hub",scope="%s"`, server.URL, scope))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		body := manifest(r.URL.Path)
		w.Header().Set("Docker-Content-Digest", digestOf(body))
		if lies {
			body = append(body, ' ')
		}
		_, _ = w.Write(body)
	})
	return &registry{client: server.Client(), base: func(string) string { return server.URL }}
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

func TestDigestsAreWrittenAndRenewed(t *testing.T) {
	t.Parallel()
	files := []string{write(t, compose), write(t, dockerfile)}
	require.ErrorContains(t, checkFiles(files), "postgres:17.6-bookworm has no digest")
	require.ErrorContains(t, checkFiles(files), "gcr.io/distroless/static-debian12:nonroot has no digest")
	for range 2 { // the second run renews existing digests
		require.NoError(t, renew(t.Context(), files, serve(t, false), now))
		require.NoError(t, checkFiles(files))
		require.Contains(t, read(t, files[0]), "image: postgres:17.6-bookworm@"+digestOf(manifest("/v2/library/postgres/manifests/17.6-bookworm"))+"\n")
		require.Contains(t, read(t, files[0]), "image: temporalio/ui:2.49.1@"+digestOf(manifest("/v2/temporalio/ui/manifests/2.49.1"))+"\n")
		require.Contains(t, read(t, files[1]), "FROM golang:1.26.8-bookworm@"+digestOf(manifest("/v2/library/golang/manifests/1.26.8-bookworm"))+" AS build\n")
		require.Contains(t, read(t, files[1]), digestOf(manifest("/v2/distroless/static-debian12/manifests/nonroot")))
		require.Contains(t, read(t, files[1]), "ARG DEBIAN_SNAPSHOT=20261120T000000Z\n")
		require.Contains(t, read(t, files[0]), "image: durapay:${DURAPAY_TAG:-local}\n")
		require.Contains(t, read(t, files[0]), "image: durapay-monero:0.18.5.3\n")
	}
}

func TestNothingIsWrittenWhenARegistryFails(t *testing.T) {
	t.Parallel()
	files := []string{write(t, compose), write(t, strings.Replace(dockerfile, "nonroot", "gone", 1))}
	require.ErrorContains(t, renew(t.Context(), files, serve(t, false), now), "404")
	require.Equal(t, compose, read(t, files[0]))
	require.ErrorContains(t, renew(t.Context(), files[:1], serve(t, true), now), "says digest")
	require.Equal(t, compose, read(t, files[0]))
}

// TestImagesOfTheRepositoryAreFound checks that the command finds the images in the
// repository's own files.
func TestImagesOfTheRepositoryAreFound(t *testing.T) {
	t.Parallel()
	require.Len(t, imagesIn(read(t, "../../../docker-compose.yml")), 6)
	files, err := filepath.Glob("../*.Dockerfile")
	require.NoError(t, err)
	for _, file := range files {
		text := read(t, file)
		require.Len(t, imagesIn(text), strings.Count("\n"+text, "\nFROM "), file)
	}
}
