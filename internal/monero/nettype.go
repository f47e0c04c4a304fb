package monero

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNetType says that a daemon is on another network than its client wants.
var ErrNetType = errors.New("monero: the daemon is on another network")

// NetType is the network that a daemon says it is on, as monerod spells it.
type NetType string

// What monerod says. Fakechain is a private chain (regtest), whose addresses are those
// of Mainnet.
const (
	MainnetChain  NetType = "mainnet"
	TestnetChain  NetType = "testnet"
	StagenetChain NetType = "stagenet"
	Fakechain     NetType = "fakechain"
)

// Only is a client of the same daemon that believes it on these networks alone: on any
// other, every call fails with ErrNetType until the daemon is on one of them. Each Info
// looks anew, so a daemon that was exchanged is noticed by whoever asks for the state
// of the chain first, as all do who read a chain or spend.
func (d *Daemon) Only(types ...NetType) *Daemon {
	return &Daemon{client: d.client, only: types}
}

// believe keeps what Info said, and refuses a network that is not wanted.
func (d *Daemon) believe(is NetType) error {
	wanted := d.only == nil || slices.Contains(d.only, is)
	d.believed.Store(wanted)
	if wanted {
		return nil
	}
	names := make([]string, len(d.only))
	for i, t := range d.only {
		names[i] = string(t)
	}
	return fmt.Errorf("%w: it says %s, the wallet wants %s", ErrNetType, is, strings.Join(names, " or "))
}

// admit asks for the network before the first other call, and again after a refusal.
func (d *Daemon) admit(ctx context.Context) error {
	if d.only == nil || d.believed.Load() {
		return nil
	}
	_, err := d.Info(ctx)
	return err
}
