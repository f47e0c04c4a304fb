package merchant_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClientsOfTheDocumentation runs the commands of docs/merchant/clients.md below the line that sets
// their variables. Each program makes a charge in the sandbox and prints its link.
func TestClientsOfTheDocumentation(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fetches generators")
	}
	b := setup(t)
	s := b.signup(t)
	needs := map[string]string{"TypeScript": "npm", "Go": "go", "Python": "python3", "PHP": "php", "The command durapay": "go"}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs/merchant/clients.md"))
	require.NoError(t, err)
	line := regexp.MustCompile(`(?m)^    (.*MERCHANT_URL=)\S+( TEST_KEY=)\S+$`).FindStringSubmatch(string(page))
	require.NotNil(t, line)
	variables := line[1] + b.url + line[2] + s.test + "\n"
	for _, c := range commandsOf(t, "docs/merchant/clients.md") {
		require.Contains(t, needs, c.heading)
		t.Run(c.heading, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(needs[c.heading]); err != nil {
				t.Skipf("%s is not installed", needs[c.heading])
			}
			dir := t.TempDir()
			clone := strings.Contains(c.text, "./cmd/durapay")
			if clone {
				c.text = strings.ReplaceAll(strings.ReplaceAll(c.text, "./durapay", dir+"/durapay"), "-o durapay", "-o "+dir+"/durapay")
				dir = root
			}
			out := runPrinted(t, dir, variables+c.text)
			if clone {
				require.Contains(t, out, "--forward-to=URL")
				return
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			id, printed := strings.CutPrefix(lines[len(lines)-1], publicURL+"/pay/")
			require.True(t, printed, out)
			charge := b.send(t, http.MethodGet, "/api/charges/"+id, key(s.test), "").require(t, http.StatusOK)
			require.Contains(t, charge.body, `"amount":12.34,"currency":"EUR"`)
			require.Contains(t, charge.body, `"order_id":"1001"`)
		})
	}
}

// runPrinted runs a block of a document as it is printed, with more variables.
func runPrinted(t *testing.T, dir, text string, more ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-c", text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(more, "GOWORK=off", "GOFLAGS=", "npm_config_prefer_offline=true")...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", text, out)
	return string(out)
}
