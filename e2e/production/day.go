//go:build linux

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/testkit"
)

// maxWait is how long anything may take that is expected to happen.
const maxWait = 10 * time.Minute

const (
	publicURL = "https://pay.example.com"
	shopEmail = "shop@example.com"
)

// day is an operator's first day, and its state.
type day struct {
	root   string
	engine *engine
	// goOn is whether the day continues after a step that failed.
	goOn bool
	// only matches the titles of the steps that are taken after the first day.
	only *regexp.Regexp
	site *site
	// api and swap are the published addresses.
	api, swap   string
	http, https string

	// seeds are the wallets', by name.
	seeds  map[string]string
	chains *chains
	// ends close what was opened.
	ends []func() error
	// client reaches publicURL as a browser does; shop is the merchant's software.
	client *http.Client
	shop   *fixture.Shop
	paid   clients.Charge
}

// close ends what the day has opened, the last first.
func (d *day) close() error {
	var err error
	for _, end := range slices.Backward(d.ends) {
		err = errors.Join(err, end())
	}
	d.removeOtherContainers(context.Background())
	return err
}

// removeOtherContainers removes the containers that are not the installation's, if they exist.
func (d *day) removeOtherContainers(ctx context.Context) {
	for _, name := range []string{customerWallet, litecoinPeer} {
		_, _ = d.engine.docker(ctx, "rm", "--force", name)
	}
}

// live plays the day, in the order of README.md.
func (d *day) live(ctx context.Context) {
	d.site = &site{engine: d.engine, dir: d.engine.path("durapay")}
	fixture.Do(play(ctx, false, []action{
		{"A machine with the repository's files and the images that they name", d.prepare},
		{"1. Settings", d.settings},
		{"2. Passwords and keys", d.secrets},
		{"3. Wallets", d.wallets},
		{"4. Start", d.start},
		{"The onion name", d.onion},
		{"TLS without further steps", d.encrypted},
		{"A merchant who was invited", d.people},
		{"A charge is paid, and the merchant hears of it", d.charge},
		{"The merchant is paid out", d.payout},
		{"The exchange: its wallets and its services", d.exchange},
		{"A trade from Monero to Litecoin", d.tradeToLitecoin},
		{"A trade from Litecoin to Monero", d.tradeToMonero},
	}))
	fixture.Do(play(ctx, d.goOn, slices.DeleteFunc([]action{
		{"Nobody is root, and no image's file can be written", d.confined},
		{"Nobody reaches what it needs not", d.reach},
		{"Every container is killed while the shop sells", d.kills},
		{"The keys are rotated while the shop sells", d.rotate},
		{"Backup, and restoring on an empty machine", d.restore},
		{"Three workers and two instances of the API", d.scale},
		{"The database's disk is full, and has room again", d.diskFull},
		{"An upgrade, with versions of workers", d.upgrade},
		{"The clock is wrong, and put right", d.clockMoved},
	}, func(a action) bool { return !d.only.MatchString(a.title) })))
}

func (d *day) prepare(ctx context.Context) {
	// Remains of an interrupted run.
	d.removeOtherContainers(ctx)
	fixture.Do(d.site.down(ctx))
	images := &standIns{engine: d.engine, root: d.root}
	certificate := trust(filepath.Join(images.moneroFolder(), "over/usr/local/share/ca-certificates/stand-in.crt"), d.engine.path("stand-in.key"))
	images.make(ctx)
	d.startMirror(ctx, filepath.Dir(moneroArchive(images.moneroFolder())), certificate)
	d.site.install(ctx, d.root)
	d.site.writeOverride(moneroArchive(images.moneroFolder()))
}

// settings writes .env as the README has it, with ports that are free here.
func (d *day) settings(context.Context) {
	ports := fixture.Must(testkit.ReservePorts())
	d.ends = append(d.ends, ports.Close)
	published := make([]string, 0, 5)
	for range cap(published) {
		published = append(published, net.JoinHostPort("127.0.0.1", strconv.Itoa(fixture.Must(ports.Port()))))
	}
	d.api, d.swap, d.http, d.https = "http://"+published[0], "http://"+published[1], published[3], published[4]
	d.site.write(".env", "PUBLIC_URL="+publicURL, "COMPOSE_PROFILES=edge",
		"EDGE_OPTIONS=local_certs", "EDGE_HTTP_PUBLISH="+d.http, "EDGE_HTTPS_PUBLISH="+d.https,
		"MERCHANT_PUBLISH="+published[0], "SWAP_PUBLISH="+published[1], "ADMIN_PUBLISH="+published[2])
	// The operator's own choices, and settings for use without the internet: prices,
	// the chain, and receivers of events on this machine.
	d.site.write("durapay.env", "PRICE_SOURCES=static", "PRICE_STATIC_USD=150", "PRICE_STATIC_EUR=140", "MONEROD_REGTEST=true",
		"WEBHOOK_ALLOWED_NETS=172.16.0.0/12,192.168.0.0/16")
}

func (d *day) secrets(ctx context.Context) {
	fixture.Must(d.engine.run(ctx, d.site.dir, "deploy/secrets.sh"))
	d.site.compose(ctx, "build")
	d.site.compose(ctx, "run", "--rm", "keygen")
}

func (d *day) wallets(ctx context.Context) {
	shown := d.site.compose(ctx, "run", "--rm", "create-wallets", "1")
	d.seeds = seeds(shown)
	fixture.Sayf("%d seeds were shown", len(d.seeds))
	fixture.Requiref(len(d.seeds) == 3, "three seeds are wanted:\n%s", shown)
}

func (d *day) start(ctx context.Context) {
	d.site.compose(ctx, "up", "-d")
	// The chain of a real installation is there by now, or comes within a day.
	if d.chains == nil {
		d.chains = &chains{day: d}
		d.ends = append(d.ends, d.chains.Close)
		d.chains.openMonero(ctx)
	}
	d.green(ctx)
}

func (d *day) green(ctx context.Context) {
	stay, jobs := 0, 0
	for _, c := range d.site.healthy(ctx) {
		if c.State == "running" {
			stay++
		} else {
			jobs++
		}
	}
	fixture.Sayf("%d services are healthy, %d jobs have ended well", stay, jobs)
}

// onion reads the name that Tor has made and has it shown, as the README says.
func (d *day) onion(ctx context.Context) {
	name := d.site.compose(ctx, "exec", "-T", "tor", "cat", "/var/lib/tor/merchant/hostname")
	found := regexp.MustCompile(`^([a-z2-7]{56}\.onion)\n$`).FindStringSubmatch(name)
	fixture.Requiref(found != nil, "this is no onion name: %q", name)
	d.set(".env", "ONION_URL=http://"+found[1])
	d.start(ctx)
	shown := d.header(ctx, d.api+"/livez").Get("Onion-Location")
	fixture.Sayf("every answer carries Onion-Location: %s", shown)
	fixture.Requiref(shown == "http://"+found[1]+"/livez", "Onion-Location is %q", shown)
}

func (d *day) set(name string, lines ...string) {
	kept := slices.DeleteFunc(strings.Split(d.site.read(name), "\n"), func(old string) bool {
		key, _, _ := strings.Cut(old, "=")
		return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, key+"=") })
	})
	d.site.write(name, append(kept, lines...)...)
}

// header is that of an answer, which has to be a good one.
func (d *day) header(ctx context.Context, url string) http.Header {
	_, header := fixture.Must2(clients.Fetch(ctx, nil, url, nil))
	return header
}

// give puts a file that a service reads among the secrets, as the containers' user.
func (d *day) give(name string, content []byte) {
	file := filepath.Join(d.site.dir, "secrets", name)
	fixture.Do(errors.Join(os.WriteFile(file, content, 0o600), os.Chown(file, 65532, 65532))) //nolint:gosec // the day names the file itself
}
