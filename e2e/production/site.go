//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
)

// site is the folder of an installation: the repository's files, and the files that
// an operator adds.
type site struct {
	engine *engine
	dir    string
	// disk holds the database, nil where its volume is an ordinary one.
	disk *disk
	// clocks are moved, nil where they are the machine's.
	clocks *clocks
}

// install copies the repository as an operator has it after cloning, but without
// the digests of images.
func (s *site) install(ctx context.Context, root string) {
	fixture.Do(os.RemoveAll(s.dir))
	fixture.Do(os.MkdirAll(s.dir, 0o755)) //nolint:gosec // as a clone is: containers' users read what is mounted
	copied := `git -C "$0" ls-files -z --cached --others --exclude-standard | (cd "$0" && xargs -0 -r ls -d 2>/dev/null | tr '\n' '\0') | tar -C "$0" --null -T - -cf - | tar -C "$1" --no-same-owner -xf -`
	fixture.Must(s.engine.run(ctx, root, "sh", "-c", copied, root, s.dir))
	for _, file := range deploymentFiles(s.dir) {
		text := fixture.Must(os.ReadFile(file))
		undigested := foreign.ReplaceAllStringFunc(string(text), func(line string) string {
			named, _, _ := strings.Cut(line, "@")
			return named
		})
		fixture.Do(os.WriteFile(file, []byte(undigested), 0o644)) //nolint:gosec // a file of the repository
	}
}

func (s *site) write(name string, lines ...string) {
	fixture.Do(os.WriteFile(filepath.Join(s.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
}

// read reads one, without the line's end.
func (s *site) read(name string) string {
	content := fixture.Must(os.ReadFile(filepath.Join(s.dir, name)))
	return strings.TrimSpace(string(content))
}

// compose runs docker compose in the folder, as the documents say it.
func (s *site) compose(ctx context.Context, args ...string) string {
	return fixture.Must(s.engine.run(ctx, s.dir, "docker", append([]string{"compose"}, args...)...))
}

func (s *site) admin(ctx context.Context, answer any, args ...string) {
	out := s.compose(ctx, append([]string{"run", "--rm", "-T", "admin", "--json"}, args...)...)
	if answer == nil {
		return
	}
	if err := json.Unmarshal([]byte(out), answer); err != nil {
		fixture.Failf("admin %s: %w: %s", strings.Join(args, " "), err, out)
	}
}

// container is a line of `docker compose ps --all`.
type container struct {
	ID       string `json:"ID"`
	Name     string `json:"Name"`
	Service  string `json:"Service"`
	State    string `json:"State"`
	Health   string `json:"Health"`
	ExitCode int    `json:"ExitCode"`
}

func (s *site) containers(ctx context.Context) []container {
	out := s.compose(ctx, "ps", "--all", "--format", "json")
	var list []container
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		var c container
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			fixture.Failf("docker compose ps: %w", err)
		}
		list = append(list, c)
	}
	return list
}

func (s *site) running(ctx context.Context) []container {
	return slices.DeleteFunc(s.containers(ctx), func(c container) bool { return c.State != "running" })
}

// healthy waits until every service that stays is healthy and every job has
// ended well.
func (s *site) healthy(ctx context.Context) []container {
	var list []container
	var not []string
	err := fixture.Try(func() {
		until(ctx, "every health check is green", func() bool {
			list, not = s.containers(ctx), nil
			for _, c := range list {
				if (c.State != "exited" || c.ExitCode != 0) && (c.State != "running" || c.Health != "healthy") {
					not = append(not, fmt.Sprintf("%s is %s %s (%d)", c.Service, c.State, c.Health, c.ExitCode))
				}
			}
			return len(list) > 0 && len(not) == 0
		})
	})
	if err != nil {
		fixture.Failf("%w: %s", err, strings.Join(not, ", "))
	}
	return list
}

// down removes the containers and their data.
func (s *site) down(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.dir, "docker-compose.yml")); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	err := fixture.Try(func() { s.compose(ctx, "--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "10") })
	return errors.Join(err, (&disk{s.engine}).unmount(ctx))
}

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
	for _, name := range []string{"live-spend", "sandbox", "exchange-spend"} {
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
