//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/durapay/durapay/e2e/fixture"
)

// overrideFile is read by Compose in addition to docker-compose.yml. It holds all
// differences from an operator's installation: which network the chains are of,
// where the builds find the servers that the mirror stands in for, on the second
// machine the disk of the database, and clocks that are moved. JSON is YAML.
const overrideFile = "docker-compose.override.yml"

type fields = map[string]any

// writeOverride gives the archive's hash to the build of Monero's image, which
// refuses another one as it refuses a release that is not the pinned one.
func (s *site) writeOverride(archive string) {
	hash := fmt.Sprintf("%x", sha256.Sum256(fixture.Must(os.ReadFile(archive))))
	build := fields{
		"network":     "host",
		"extra_hosts": []string{snapshotHost + "=" + mirrorHost, getmoneroHost + "=" + mirrorHost},
		"args":        fields{"SHA256_AMD64": hash},
	}
	onTheMirror := fields{"build": build}
	monerod := fields{"build": build, "entrypoint": []string{"/usr/local/bin/monerod", "--regtest", "--keep-fakechain", "--fixed-difficulty=1", "--offline"}}
	if processors := runtime.NumCPU(); processors < 4 {
		monerod["deploy"] = fields{"resources": fields{"limits": fields{"cpus": strconv.Itoa(processors)}}}
	}
	services := fields{
		"worker": onTheMirror, "worker-more": onTheMirror, "merchant-api": onTheMirror, "swap-api": onTheMirror, "migrate": onTheMirror,
		"admin": onTheMirror, "merchant-api-more": onTheMirror, "tor": onTheMirror, "edge": onTheMirror,
		"monerod": monerod,
		"litecoind": fields{
			"build": build,
			// A private chain has no fees to learn from, and sleeps.
			"entrypoint": []string{"/usr/local/bin/start-litecoind.sh", "-regtest", "-fallbackfee=0.0001", "-maxtipage=315360000", "-addnode=" + litecoinPeer + ":" + litecoinPeerPort},
		},
	}
	for _, name := range []string{"live-watch", "live-spend", "sandbox", "exchange-watch", "exchange-spend"} {
		// A wallet knows when the public chain changed its rules.
		services["wallet-"+name] = fields{"command": []string{"/wallets/" + name + "/wallet", "--allow-mismatched-daemon-version"}}
	}
	if s.clocks != nil {
		for name, clock := range s.clocks.services() {
			if known, ok := services[name].(fields); ok {
				clock["build"] = known["build"]
			}
			services[name] = clock
		}
	}
	all := fields{"services": services}
	if s.disk != nil {
		all["volumes"] = fields{"postgres": fields{"driver_opts": fields{"type": "none", "o": "bind", "device": s.disk.data()}}}
	}
	text := fixture.Must(json.MarshalIndent(all, "", "  "))
	fixture.Do(os.WriteFile(filepath.Join(s.dir, overrideFile), text, 0o600))
}
