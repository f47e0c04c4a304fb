package regtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// gencert makes the keys of directory authorities.
func gencert() programs.Program { return programs.Program{Name: "tor-gencert", Package: "tor"} }

// authority is the directory authority: its vote defines the network.
type authority struct {
	orPort, dirPort int
	// identity is the fingerprint of the key that it votes with, relay that of
	// the relay it is.
	identity, relay string
}

// newAuthority makes the keys in its data directory.
func newAuthority(ctx context.Context, data string, orPort, dirPort int) (authority, error) {
	a := authority{orPort: orPort, dirPort: dirPort}
	keys := filepath.Join(data, "keys")
	if err := os.MkdirAll(keys, 0o700); err != nil {
		return a, err
	}
	certificate := filepath.Join(keys, "authority_certificate")
	path, err := gencert().Find(".")
	if err != nil {
		return a, err
	}
	cmd := exec.CommandContext(ctx, path, "--create-identity-key", "--passphrase-fd", "0", "-m", "12",
		"-a", fmt.Sprintf("127.0.0.1:%d", dirPort), "-i", filepath.Join(keys, "authority_identity_key"),
		"-s", filepath.Join(keys, "authority_signing_key"), "-c", certificate)
	cmd.Stdin = strings.NewReader("of this network alone\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		return a, fmt.Errorf("tor-gencert: %w\n%s", err, out)
	}
	text, err := os.ReadFile(certificate)
	if err != nil {
		return a, err
	}
	if a.identity, err = find(`(?m)^fingerprint ([0-9A-F]{40})$`, string(text)); err != nil {
		return a, err
	}
	a.relay, err = a.fingerprint(ctx, data)
	return a, err
}

// fingerprint makes the keys of the relay and returns their fingerprint.
func (a authority) fingerprint(ctx context.Context, data string) (string, error) {
	path, err := programs.Tor().Find(".")
	if err != nil {
		return "", err
	}
	a.relay = strings.Repeat("0", 40) // not known yet
	torrc := data + "-keys.torrc"
	content := "TestingTorNetwork 1\nNickname authority\nSocksPort 0\nDataDirectory " + data + "\n" + a.line() + a.torrc()
	if err := os.WriteFile(torrc, []byte(content), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, "-f", torrc, "--defaults-torrc", os.DevNull, "--quiet", "--list-fingerprint")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("tor --list-fingerprint: %w\n%s", err, out)
	}
	return find(`authority([0-9A-F]{40})`, strings.ReplaceAll(string(out), " ", ""))
}

// find is the only group of a pattern in a text.
func find(pattern, text string) (string, error) {
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("no %s in %q", pattern, text)
	}
	return found[1], nil
}

// line tells a tor of this network where its authority is.
func (a authority) line() string {
	return fmt.Sprintf("DirAuthority authority orport=%d no-v2 v3ident=%s 127.0.0.1:%d %s\n",
		a.orPort, a.identity, a.dirPort, a.relay)
}

// torrc makes a tor the authority. It votes every few seconds, and for every
// relay as everything.
func (a authority) torrc() string {
	return fmt.Sprintf("ORPort 127.0.0.1:%d\nDirPort 127.0.0.1:%d\n", a.orPort, a.dirPort) + relayLines +
		"ExitPolicy reject *:*\nAuthoritativeDirectory 1\nV3AuthoritativeDirectory 1\nContactInfo nobody@example.com\n" +
		"TestingV3AuthInitialVotingInterval 5\nTestingV3AuthInitialVoteDelay 2\nTestingV3AuthInitialDistDelay 2\n" +
		"V3AuthVotingInterval 10\nV3AuthVoteDelay 2\nV3AuthDistDelay 2\nV3AuthNIntervalsValid 2\n" +
		"TestingDirAuthVoteExit *\nTestingDirAuthVoteGuard *\nTestingDirAuthVoteHSDir *\n"
}

// relayLines are the settings of every tor that accepts connections from other tors.
const relayLines = "Address 127.0.0.1\nAssumeReachable 1\n"

// relayTorrc makes a tor a relay that lets streams out to this machine, and
// asks the name servers of a file.
func relayTorrc(port int, resolver string) string {
	return fmt.Sprintf("ORPort 127.0.0.1:%d\n", port) + relayLines +
		"ExitRelay 1\nExitPolicy accept 127.0.0.0/8:*\nExitPolicyRejectPrivate 0\n" +
		"ServerDNSResolvConfFile " + resolver + "\nServerDNSDetectHijacking 0\nServerDNSAllowBrokenConfig 1\n"
}
