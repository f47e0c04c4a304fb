// Package deploy_test checks the files that are released with the program: the compose file,
// the scripts, Tor's configuration, dashboards, alerts and the documents that describe the
// settings. It runs everything that can run on this machine.
package deploy_test

import (
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/caarlos0/env/v11"
	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// root is the repository, relative to this package.
const root = ".."

// chosen returns the lines that an operator writes into the file .env.
func chosen() []string {
	return []string{"PUBLIC_URL=https://pay.example"}
}

// project returns the compose file with all profiles, loaded strictly.
func project(t *testing.T, environment ...string) *types.Project {
	t.Helper()
	return load(t, environment, "docker-compose.yml")
}

// load returns the project of some files, as COMPOSE_FILE names them.
func load(t *testing.T, environment []string, files ...string) *types.Project {
	t.Helper()
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = filepath.Join(root, file)
	}
	options, err := cli.NewProjectOptions(paths,
		cli.WithWorkingDirectory(root), cli.WithEnv(environment), cli.WithProfiles([]string{"*"}))
	require.NoError(t, err)
	p, err := options.LoadProject(t.Context())
	require.NoError(t, err)
	return p
}

// ours returns the services that run durapay with its settings.
func ours(p *types.Project) types.Services {
	services := types.Services{}
	for name, s := range p.Services {
		if strings.HasPrefix(s.Image, "durapay:") && name != "keygen" {
			services[name] = s
		}
	}
	return services
}

// isJob reports whether a service ends by itself.
func isJob(s types.ServiceConfig) bool {
	return s.Restart == "no" || strings.HasPrefix(s.Restart, "on-failure")
}

func TestComposeNeedsThePublicURL(t *testing.T) {
	t.Parallel()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yml")}, cli.WithWorkingDirectory(root))
	require.NoError(t, err)
	_, err = options.LoadProject(t.Context())
	require.ErrorContains(t, err, "PUBLIC_URL")
}

func TestEveryServiceHasAHealthCheckAndLimits(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	for name, s := range p.Services {
		if isJob(s) {
			continue
		}
		require.NotNil(t, s.HealthCheck, name)
		require.NotEmpty(t, s.HealthCheck.Test, name)
		require.NotNil(t, s.Deploy, name)
		require.NotNil(t, s.Deploy.Resources.Limits, name)
		require.Positive(t, s.Deploy.Resources.Limits.MemoryBytes, name)
		require.Equal(t, "unless-stopped", s.Restart, name)
	}
	for name, s := range p.Services {
		for needed, how := range s.DependsOn {
			if how.Condition == types.ServiceConditionCompletedSuccessfully {
				require.True(t, isJob(p.Services[needed]), "%s waits for the end of %s", name, needed)
			}
		}
	}
}

func TestServicesAreConfined(t *testing.T) {
	t.Parallel()
	for name, s := range project(t, chosen()...).Services {
		require.Equal(t, []string{"ALL"}, s.CapDrop, name)
		require.Contains(t, s.SecurityOpt, "no-new-privileges:true", name)
		require.False(t, s.Privileged, name)
		if name != "postgres" {
			require.True(t, s.ReadOnly, name)
			require.Equal(t, "65532:65532", s.User, name)
			require.Empty(t, s.CapAdd, name)
		}
	}
}

func TestSettingsAreKnownAndComplete(t *testing.T) {
	t.Parallel()
	fields, err := env.GetFieldParams(&config.Config{})
	require.NoError(t, err)
	known, required := map[string]bool{}, []string{}
	for _, f := range fields {
		known[f.Key] = true
		if f.Required {
			required = append(required, f.Key)
		}
	}
	require.NotEmpty(t, required)
	services := ours(project(t, chosen()...))
	require.ElementsMatch(t, []string{"migrate", "worker", "worker-more", "merchant-api", "merchant-api-more", "swap-api", "admin"}, slices.Collect(maps.Keys(services)))
	for name, s := range services {
		for key := range s.Environment {
			require.True(t, known[key], "%s: internal/config does not know %s", name, key)
		}
		for _, key := range append(required, "WALLETS_FILE", "KEYS_DIR") {
			require.Contains(t, s.Environment, key, name)
			require.NotEmpty(t, *s.Environment[key], "%s: %s", name, key)
		}
	}
}

// TestDefaultsAreThoseOfTheCode compares the settings of access, of which compose has the defaults too.
func TestDefaultsAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	fields, err := env.GetFieldParams(&config.Config{})
	require.NoError(t, err)
	worker := ours(project(t, chosen()...))["worker"]
	compared := 0
	for _, f := range fields {
		if slices.Contains([]string{"SIGNUP", "STEP_UP", "PAYOUT_ADDRESS_HOLD", "ADMIN_LISTENERS"}, f.Key) {
			require.Equal(t, f.DefaultValue, *worker.Environment[f.Key], f.Key)
			compared++
		}
	}
	require.Equal(t, 4, compared)
}

// TestSettingsAreTaken loads the values with the program's own loader.
func TestSettingsAreTaken(t *testing.T) { //nolint:paralleltest // sets variables of the process
	for key, value := range ours(project(t, chosen()...))["worker"].Environment {
		t.Setenv(key, *value)
	}
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, "https://pay.example", c.PublicURL)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("172.30.80.1/32"), netip.MustParsePrefix("172.30.80.12/32")}, c.TrustedProxies)
	require.Empty(t, c.WorkerBuildID)
	require.Empty(t, c.OnionURL)
}

// requireWallets checks a wallets.json against the compose file: each process must be a
// service on the right wallet, and each file must be mounted at its path.
func requireWallets(t *testing.T, file string) {
	t.Helper()
	wallets, err := config.LoadWallets(file)
	require.NoError(t, err)
	require.Equal(t, []string{"live", "sandbox"}, []string{wallets[0].ID, wallets[1].ID})
	p := project(t, chosen()...)
	require.Equal(t, filepath.Join("secrets", filepath.Base(file)), relative(t, p.Configs["wallets"].File))
	for _, w := range wallets {
		host := strings.TrimSuffix(strings.TrimPrefix(w.SpendURL, "http://"), ":18082")
		require.Contains(t, p.ServiceNames(), host)
		require.Equal(t, []string{"/wallets/" + strings.TrimPrefix(host, "wallet-") + "/wallet"}, []string(p.Services[host].Command))
		for _, secret := range []string{w.ViewKeyFile, w.LoginFile} {
			require.True(t, hasSecret(p.Services["worker"], secret), secret)
		}
		requireLogin(t, p, w.SpendURL, w.LoginFile)
	}
}

// requireExchangeWallets checks an exchange-wallets.json against the compose file: each
// process must be a service.
func requireExchangeWallets(t *testing.T, file string) {
	t.Helper()
	wallets, err := config.LoadExchangeWallets(file)
	require.NoError(t, err)
	require.Len(t, wallets, 2)
	p := project(t, chosen()...)
	require.Equal(t, filepath.Join("secrets", filepath.Base(file)), relative(t, p.Configs["exchange-wallets"].File))
	wallet, daemon := wallets[0].Monero, wallets[1].Daemon
	for _, secret := range []string{wallet.ViewKeyFile, wallet.LoginFile, daemon.LoginFile, daemon.PassphraseFile} {
		require.True(t, hasSecret(p.Services["worker"], secret), secret)
	}
	requireLogin(t, p, wallet.SpendURL, wallet.LoginFile)
	host := strings.TrimSuffix(strings.TrimPrefix(wallet.SpendURL, "http://"), ":18082")
	require.Equal(t, []string{"/wallets/" + strings.TrimPrefix(host, "wallet-") + "/wallet"}, []string(p.Services[host].Command))
	litecoind := p.Services["litecoind"]
	require.Equal(t, "http://litecoind:9332", wallets[1].Daemon.URL)
	require.Contains(t, litecoind.Command, "-rpcport=9332")
	require.Equal(t, litecoind.Networks["daemons"].Ipv4Address+":9333", wallets[1].Daemon.P2PAddress)
	require.Contains(t, litecoind.Command, "-whitebind=noban@"+wallets[1].Daemon.P2PAddress, "peers that it does not know wait for seconds")
	require.False(t, slices.ContainsFunc(litecoind.Command, func(s string) bool { return strings.HasPrefix(s, "-bind=") }), "it listens nowhere else")
	require.Equal(t, wallets[1].Daemon.LoginFile, *litecoind.Environment["LITECOIN_LOGIN_FILE"])
}

// TestSettingsOfTheExchangeAreTaken loads the settings of swap-api and the worker, with the
// exchange's wallets in .env, with the program's own loader. Without the exchange, no other
// setting of theirs is required.
func TestSettingsOfTheExchangeAreTaken(t *testing.T) { //nolint:paralleltest // sets variables of the process
	const file = "/etc/durapay/exchange-wallets.json"
	p := project(t, append(chosen(), "EXCHANGE_WALLETS_FILE="+file, "SWAP_PUBLIC_URL=https://swap.example")...)
	for _, name := range []string{"worker", "swap-api"} {
		require.Equal(t, file, *p.Services[name].Environment["EXCHANGE_WALLETS_FILE"], name)
		mounted := slices.ContainsFunc(p.Services[name].Configs, func(c types.ServiceConfigObjConfig) bool {
			return c.Source == "exchange-wallets" && c.Target == file
		})
		require.True(t, mounted, name)
	}
	require.Empty(t, *project(t, chosen()...).Services["worker"].Environment["EXCHANGE_WALLETS_FILE"])
	for key, value := range p.Services["swap-api"].Environment {
		t.Setenv(key, *value)
	}
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, "https://swap.example", c.SwapPublicURL)
	require.Equal(t, "0.0.0.0:8081", c.SwapListen)
	require.Equal(t, []string{"exchange"}, p.Services["swap-api"].Profiles)
	for _, s := range p.Services["swap-api"].Secrets {
		require.Equal(t, "pgpass", s.Source, "the service that the internet reaches holds no key of a wallet")
	}
}

// TestConfigsAreFiles checks that configurations are files, because a read-only container
// accepts nothing else.
func TestConfigsAreFiles(t *testing.T) {
	t.Parallel()
	for name, c := range project(t, chosen()...).Configs {
		require.NotEmpty(t, c.File, name)
	}
}

func TestNoSecretIsAPlainValue(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	secret := regexp.MustCompile(`(?i)(password|passwd|pwd|secret|token|login|key)`)
	for name, s := range p.Services {
		for key, value := range s.Environment {
			if value == nil || strings.HasSuffix(key, "FILE") || strings.HasSuffix(key, "_DIR") {
				continue
			}
			require.False(t, secret.MatchString(key) && !strings.HasPrefix(*value, "/keys/"), "%s: %s", name, key)
			require.NotRegexp(t, `://[^/@]*:[^/@]*@`, *value, "%s: %s holds a password", name, key)
		}
		for _, word := range append(slices.Clone([]string(s.Command)), s.Entrypoint...) {
			require.NotRegexp(t, `(?i)(rpc-login|password)=`, word, name)
		}
	}
	for name, s := range p.Secrets {
		require.Equal(t, filepath.Join("secrets", name), relative(t, s.File), "secrets are files")
	}
}

func TestOnlyIntendedPortsArePublished(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	published := map[string]string{}
	for name, s := range p.Services {
		for _, port := range s.Ports {
			published[name] += port.HostIP + ":" + port.Published
		}
	}
	require.Equal(t, map[string]string{
		"edge":         ":80:443:443",
		"merchant-api": "127.0.0.1:8080127.0.0.1:9091", "swap-api": "127.0.0.1:8081", "worker": "127.0.0.1:9090",
	}, published)
	for _, name := range []string{"database", "temporal", "temporal-ui", "daemons", "monero", "wallets", "proxy", "onion", "swap-onion"} {
		require.True(t, p.Networks[name].Internal, name)
	}
	for _, name := range []string{"daemons", "monero", "wallets", "p2p"} {
		for _, service := range []string{"merchant-api", "merchant-api-more", "swap-api", "edge"} {
			require.NotContains(t, p.Services[service].Networks, name, "the internet reaches %s", service)
		}
	}
	for _, name := range []string{"postgres", "temporal", "wallet-live-spend", "wallet-sandbox", "wallet-exchange-spend"} {
		for network := range p.Services[name].Networks {
			require.True(t, p.Networks[network].Internal, "%s reaches the internet through %s", name, network)
		}
	}
}

// TestPublisherIsOnTheNetworkOfTheDaemons checks that the worker connects to monerod's
// publisher on a network that the internet cannot reach.
func TestPublisherIsOnTheNetworkOfTheDaemons(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	address := p.Services["monerod"].Networks["daemons"].Ipv4Address
	require.NotEmpty(t, address)
	require.True(t, p.Networks["daemons"].Internal)
	require.Contains(t, p.Services["monerod"].Command, "--zmq-pub=tcp://"+address+":18083")
	require.Contains(t, p.Services["monerod"].Command, "--zmq-rpc-bind-ip=127.0.0.1", "its calls ask for no login")
	require.NotContains(t, p.Services["monerod"].Command, "--no-zmq", "it would have no publisher")
	for _, worker := range []string{"worker", "worker-more"} {
		require.Equal(t, address+":18083", *p.Services[worker].Environment["MONEROD_ZMQ_ADDRESS"], worker)
		require.Contains(t, p.Services[worker].Networks, "daemons", worker)
	}
	without := project(t, append(chosen(), "MONEROD_ZMQ_ADDRESS=")...)
	require.Empty(t, *without.Services["worker"].Environment["MONEROD_ZMQ_ADDRESS"])
}

func TestMountedFilesExist(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	var mounted []string
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type != types.VolumeTypeBind || strings.HasPrefix(relative(t, v.Source), "secrets") {
				continue
			}
			mounted = append(mounted, v.Source)
			require.True(t, v.ReadOnly, "%s: %s", name, v.Source)
			require.FileExists(t, scriptOf(s, v), name)
		}
		if s.Build != nil {
			require.FileExists(t, filepath.Join(s.Build.Context, s.Build.Dockerfile), name)
		}
	}
	require.NotEmpty(t, mounted)
}

// scriptOf returns the file that the service reads from a mount.
func scriptOf(s types.ServiceConfig, v types.ServiceVolumeConfig) string {
	for _, word := range s.Entrypoint {
		if rest, ok := strings.CutPrefix(word, v.Target+"/"); ok {
			return filepath.Join(v.Source, rest)
		}
	}
	return v.Source
}

func TestTorKnowsTheAPIs(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	torrc := read(t, "tor/torrc")
	for name, c := range map[string]struct{ network, setting, port string }{
		"merchant-api": {"onion", "MERCHANT_ONION_LISTEN", "8082"}, "swap-api": {"swap-onion", "SWAP_ONION_LISTEN", "8083"},
	} {
		listen := p.Services[name].Networks[c.network].Ipv4Address + ":" + c.port
		require.Contains(t, torrc, "HiddenServicePort 80 "+listen+"\nHiddenServiceExportCircuitID haproxy\n"+
			"HiddenServiceMaxStreams 64\nHiddenServiceMaxStreamsCloseCircuit 1\nHiddenServicePoWDefensesEnabled 1\n", "each service has its own limits")
		require.Equal(t, listen, *p.Services[name].Environment[c.setting], "on Tor's network and on no other")
		for _, published := range p.Services[name].Ports {
			require.NotEqual(t, c.port, fmt.Sprint(published.Target), "reachable for Tor alone")
		}
		require.True(t, p.Networks[c.network].Internal)
		for neighbour, s := range p.Services {
			if _, there := s.Networks[c.network]; there {
				require.Contains(t, []string{"tor", name}, neighbour, "it could claim a visitor's circuit")
			}
		}
	}
	gateway, caddy := p.Networks["edge"].Ipam.Config[0].Gateway, p.Services["edge"].Networks["edge"].Ipv4Address
	require.Equal(t, gateway+"/32,"+caddy+"/32", *p.Services["merchant-api"].Environment["TRUSTED_PROXIES"])
	require.NotContains(t, *p.Services["merchant-api"].Environment["TRUSTED_PROXIES"], "0/", "the tor container is not trusted")
}

// Temporal's web UI has no login: the worker alone reaches it, and serves it.
func TestTemporalsInterfaceIsBehindTheWorker(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	ui, worker := p.Services["temporal-ui"], p.Services["worker"]
	require.Empty(t, ui.Ports)
	for name, s := range p.Services {
		if _, near := s.Networks["temporal-ui"]; near {
			require.Contains(t, []string{"temporal", "temporal-ui", "worker", "worker-more"}, name, "it reaches the UI without a login")
		}
	}
	require.Len(t, ui.Networks, 1)
	require.Equal(t, "http://127.0.0.1:9090/codec", *ui.Environment["TEMPORAL_CODEC_ENDPOINT"])
	require.Equal(t, "true", *ui.Environment["TEMPORAL_CODEC_INCLUDE_CREDENTIALS"], "the browser sends the cookie of the login")
	require.Equal(t, "http://temporal-ui:8080", *worker.Environment["TEMPORAL_UI_UPSTREAM"])
	require.Equal(t, *worker.Environment["TEMPORAL_UI_URL"], *ui.Environment["TEMPORAL_CORS_ORIGINS"])
	require.Equal(t, *p.Services["worker"].Environment["TEMPORAL_NAMESPACE"], *p.Services["temporal-namespace"].Environment["TEMPORAL_NAMESPACE"])
}

func relative(t *testing.T, path string) string {
	t.Helper()
	base, err := filepath.Abs(root)
	require.NoError(t, err)
	rel, err := filepath.Rel(base, path)
	require.NoError(t, err)
	return rel
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}
