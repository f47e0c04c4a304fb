package merchant_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// command is a shell block in a document, with the heading above it.
type command struct{ heading, text string }

// commandsOf returns the blocks of a Markdown document that are marked as shell.
func commandsOf(t *testing.T, path string) []command {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", path))
	require.NoError(t, err)
	var all []command
	for section := range strings.SplitSeq(string(raw), "\n## ") {
		heading, _, _ := strings.Cut(section, "\n")
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(section, -1) {
			all = append(all, command{heading, block[1]})
		}
	}
	require.NotEmpty(t, all)
	return all
}

// shell runs the commands of a document in one folder. Its variables are those that the document
// asks the reader to copy from the answers.
type shell struct {
	dir       string
	variables map[string]string
}

// run fails if an answer is an error. It allows an error of the sweep, because the tests have no
// wallet that could build one.
func (s *shell) run(t *testing.T, c command) string {
	t.Helper()
	text := c.text
	if !strings.Contains(text, "/payouts/sweep") {
		text = strings.ReplaceAll(text, "curl -s ", "curl -sS --fail-with-body ")
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-eu", "-c", text)
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range s.variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s%s", c.heading, c.text, out)
	s.take(string(out))
	return string(out)
}

// take reads the variables from an answer.
func (s *shell) take(answer string) {
	var v struct {
		ID      string `json:"id"`
		Token   string `json:"token"`
		APIKeys struct {
			Production string `json:"production"`
			Sandbox    string `json:"sandbox"`
		} `json:"apiKeys"`
		Merchant struct {
			ID string `json:"merchant_id"`
		} `json:"merchant"`
	}
	if json.Unmarshal([]byte(answer), &v) != nil {
		return
	}
	kinds := map[string]string{"ch": "CHARGE", "wh": "WEBHOOK", "pr": "REQUEST"}
	prefix, _, _ := strings.Cut(v.ID, "_")
	for name, value := range map[string]string{
		"TOKEN": v.Token, "KEY": v.APIKeys.Production, "TEST_KEY": v.APIKeys.Sandbox, "MERCHANT_ID": v.Merchant.ID, kinds[prefix]: v.ID,
	} {
		if name != "" && value != "" {
			s.variables[name] = value
		}
	}
}

// testQuickStart follows the quick start, command by command.
func testQuickStart(t *testing.T, b *bench) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	sh := shell{t.TempDir(), map[string]string{"MERCHANT_URL": b.url}}
	paid, commands := false, 0
	for _, c := range commandsOf(t, "docs/merchant/quickstart.md") {
		if c.heading == "Get paid" && !paid {
			paid = true
			b.pay(t, shop{id: sh.variables["MERCHANT_ID"]}, sh.variables["CHARGE"])
			pgtest.SetChain(t, b.store, "live-1", 110)
			require.Equal(t, "confirmed", string(b.advance(t, sh.variables["CHARGE"]).Status))
			_, err := b.store.Pool().Exec(t.Context(), "UPDATE received_payments SET height = 1000 WHERE charge_id = $1", sh.variables["CHARGE"])
			require.NoError(t, err, "the output is still locked")
		}
		out := sh.run(t, c)
		commands++
		switch {
		case strings.HasSuffix(c.text, "/public\"\n") && !paid:
			require.Contains(t, out, `"status":"pending"`)
		case strings.Contains(c.text, "/api/charges/$CHARGE\""):
			require.Contains(t, out, `"status":"confirmed"`)
			require.Contains(t, out, `"amount":12.34`)
		case strings.Contains(c.text, "/deliveries"):
			require.Contains(t, out, `"event":"charge.confirmed"`)
		case strings.Contains(c.text, "/balance"):
			require.Contains(t, out, `"unpaid_charges":1`)
		case strings.Contains(c.text, "/payouts/sweep"):
			require.Contains(t, out, `{"error":`)
			require.Contains(t, out, "locked")
		case strings.Contains(c.text, "order_id="):
			require.Contains(t, out, sh.variables["CHARGE"])
		case strings.Contains(c.text, "/toggle"):
			require.Contains(t, out, `"status":"inactive"`)
		}
	}
	require.True(t, paid)
	require.Greater(t, commands, 15)
	for name, begin := range map[string]string{"qr.png": "\x89PNG", "transactions.csv": "charge_id,"} {
		content, err := os.ReadFile(filepath.Join(sh.dir, name))
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(content), begin), name)
	}
}
