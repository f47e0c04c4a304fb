package merchant_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

// violation is a difference between an exchange and the document, as Prism reports it.
type violation struct {
	Location []any  `json:"location"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// testPrism runs the walk through a proxy that compares requests and answers with the document.
func testPrism(t *testing.T, b *bench) {
	proxy := startPrism(t, b.url)
	seen, wrong := 0, []string(nil)
	for _, a := range walk(t, b, proxy) {
		header := a.answer.header.Get("Sl-Violations")
		if header == "" {
			continue
		}
		seen++
		var found []violation
		require.NoError(t, json.Unmarshal([]byte(header), &found), header)
		for _, v := range found {
			if a.refused && v.Location[0] == "request" {
				continue // this request is wrong on purpose
			}
			wrong = append(wrong, fmt.Sprintf("%s: status %d: %v %s", a.operation, a.answer.status, v.Location, v.Message))
		}
	}
	require.Empty(t, wrong)
	require.Positive(t, seen, "the proxy has checked nothing: it must have found the broken requests")
}

// startPrism runs the proxy in front of the service and returns its address.
func startPrism(t *testing.T, upstream string) string {
	t.Helper()
	program := filepath.Join(testkit.NPM(t, "../..", "prism"), "node_modules", ".bin", "prism")
	port := freePort(t)
	spec, err := filepath.Abs(filepath.Join("..", "..", "openapi", "merchant.yaml"))
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "proxy", "--host", "127.0.0.1", "--port", port, spec, upstream)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, io.Discard
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address := "http://127.0.0.1:" + port
	require.Eventually(t, func() bool {
		res, err := http.Get(address + "/livez")
		if err != nil {
			return false
		}
		defer res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, maxWait, 100*time.Millisecond, "the proxy does not answer")
	return address
}

func freePort(t *testing.T) string {
	t.Helper()
	return strconv.Itoa(testkit.Port(t))
}
