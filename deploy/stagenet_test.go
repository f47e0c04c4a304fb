package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
)

// onStagenet returns the project with the line COMPOSE_FILE of docs/operations.md.
func onStagenet(t *testing.T) *types.Project {
	t.Helper()
	line := regexp.MustCompile(`(?m)^    COMPOSE_FILE=(\S+)$`).FindStringSubmatch(read(t, "../docs/operations.md"))
	require.Len(t, line, 2)
	return load(t, chosen(), strings.Split(line[1], ":")...)
}

// TestTheSandboxIsOnStagenetByItsOwnDaemon checks with the program's own loader that the lines
// of docs/operations.md put the sandbox on the daemon of the profile.
func TestTheSandboxIsOnStagenetByItsOwnDaemon(t *testing.T) { //nolint:paralleltest // sets variables of the process
	for _, line := range regexp.MustCompile(`(?m)^    (SANDBOX_\w+)=(\S+)$`).FindAllStringSubmatch(read(t, "../docs/operations.md"), -1) {
		t.Setenv(line[1], line[2])
	}
	p := onStagenet(t)
	require.Equal(t, "secrets/wallets-stagenet.json", relative(t, p.Configs["wallets"].File))
	for key, value := range p.Services["worker"].Environment {
		t.Setenv(key, *value)
	}
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, config.SandboxWallet, c.SandboxChain)
	daemon, wallet := p.Services["monerod-stagenet"], p.Services["wallet-stagenet"]
	require.Equal(t, "http://monerod-stagenet:38089", c.SandboxMonerodURL)
	require.Equal(t, daemon.Networks["daemons"].Ipv4Address+":38083", c.SandboxMonerodZMQ)
	require.Equal(t, "monerod-stagenet:38089", *wallet.Environment["MONEROD_ADDRESS"])
	for _, s := range []string{"--stagenet", "--zmq-pub=tcp://" + c.SandboxMonerodZMQ, "--zmq-rpc-bind-ip=127.0.0.1", "--rpc-bind-ip=127.0.0.1", "--rpc-restricted-bind-port=38089"} {
		require.Contains(t, daemon.Command, s)
	}
	require.Equal(t, []string{"/wallets/stagenet/wallet", "--stagenet"}, []string(wallet.Command))
	for network := range wallet.Networks {
		require.True(t, p.Networks[network].Internal, "the wallet reaches the internet through %s", network)
	}
	require.Equal(t, []string{"stagenet"}, daemon.Profiles)
	require.Equal(t, []string{"stagenet"}, wallet.Profiles)
	require.NotContains(t, p.Services["monerod"].Command, "--stagenet")
}

// testStagenetWallet creates the sandbox's wallet in addition to the existing ones, twice.
func testStagenetWallet(t *testing.T, dir, wallets string, env []string) {
	t.Helper()
	require.NoError(t, os.Mkdir(filepath.Join(wallets, "stagenet"), 0o700))
	before := content(t, dir, "wallets.json")
	env = slices.Concat(env, []string{"NETWORK=stagenet"})
	require.Contains(t, run(t, "image/monero/create-wallets.sh", env, "1"), "money of a test network")
	require.Contains(t, run(t, "image/monero/create-wallets.sh", env, "1"), "nothing is changed")
	require.Equal(t, before, content(t, dir, "wallets.json"))
	list, err := config.LoadWallets(filepath.Join(dir, "wallets-stagenet.json"))
	require.NoError(t, err)
	require.Equal(t, []config.Mode{config.Live, config.Sandbox}, []config.Mode{list[0].Mode, list[1].Mode})
	require.Equal(t, content(t, dir, "live-address"), list[0].PrimaryAddress)
	made, err := monero.NewDeriver(list[1].PrimaryAddress, content(t, dir, "stagenet-view-key"))
	require.NoError(t, err)
	require.Equal(t, monero.Stagenet, made.Primary().Network)
	p := onStagenet(t)
	require.Equal(t, "http://wallet-stagenet:18082", list[1].SpendURL)
	requireLogin(t, p, list[1].SpendURL, list[1].LoginFile)
	for _, file := range []string{list[1].ViewKeyFile, list[1].LoginFile} {
		for _, name := range []string{"worker", "worker-more"} {
			require.True(t, hasSecret(p.Services[name], file), file)
			require.True(t, hasSecret(p.Services[name], list[0].ViewKeyFile), "beside what it read before")
		}
		require.FileExists(t, filepath.Join(dir, strings.TrimPrefix(file, "/run/secrets/")))
	}
}
