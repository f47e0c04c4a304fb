package monero

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNetType means that a daemon is on another network than its client requires.
var ErrNetType = errors.New("monero: the daemon is on another network")

// NetType is the network that a daemon reports, as monerod spells it.
type NetType string

// The networks that monerod reports. Fakechain is a private chain (regtest), whose
// addresses are those of Mainnet.
const (
	MainnetChain  NetType = "mainnet"
	TestnetChain  NetType = "testnet"
	StagenetChain NetType = "stagenet"
	Fakechain     NetType = "fakechain"
)

// Only returns a client of the same daemon that accepts only these networks. While the
// daemon is on any other, every call fails with ErrNetType. Each Info checks the
// network again, so a replaced daemon is noticed by callers that ask for the state of
// the chain first. All callers that read a chain or spend do that.
func (d *Daemon) Only(types ...NetType) *Daemon {
	return &Daemon{client: d.client, only: types}
}

// believe stores whether the network that Info reported is accepted, and returns
// ErrNetType if it is not.
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
