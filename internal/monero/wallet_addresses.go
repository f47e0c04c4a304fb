package monero

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// MaxCreate is the maximum number of addresses that one CreateAddresses may make, as
// the process accepts.
const MaxCreate = 64

// Subaddress is one address of account 0. Index 0 is the primary address.
type Subaddress struct {
	Index   uint32
	Address string
}

// CreateAddresses makes the next count (1 to MaxCreate) subaddresses of account
// 0. The wallet keeps them only in memory until Store: a process that is killed
// earlier makes the same indices again. CreateAddresses is never retried,
// because a second call makes further addresses. It returns ErrArgument if
// count is out of range.
func (w *Wallet) CreateAddresses(ctx context.Context, count int) ([]Subaddress, error) {
	if count < 1 || count > MaxCreate {
		return nil, fmt.Errorf("%w: %d addresses", ErrArgument, count)
	}
	var out struct {
		Addresses []string `json:"addresses"`
		Indices   []uint32 `json:"address_indices"`
	}
	params := map[string]any{"account_index": 0, "count": count}
	if err := w.client.rpc(ctx, call{Method: "create_address", Params: params, Long: true}, &out); err != nil {
		return nil, err
	}
	if len(out.Addresses) != count || len(out.Indices) != count {
		return nil, fmt.Errorf("%w: create_address: %d of %d", ErrResponse, len(out.Addresses), count)
	}
	made := make([]Subaddress, count)
	for i := range made {
		made[i] = Subaddress{Index: out.Indices[i], Address: out.Addresses[i]}
	}
	return made, nil
}

// AddressAt returns the subaddress of account 0 with this index, and whether
// the wallet has made it yet.
func (w *Wallet) AddressAt(ctx context.Context, index uint32) (string, bool, error) {
	var out struct {
		Addresses []struct {
			Address string `json:"address"`
		} `json:"addresses"`
	}
	params := map[string]any{"account_index": 0, "address_index": []uint32{index}}
	err := w.client.rpc(ctx, call{Method: "get_address", Params: params, Safe: true}, &out)
	switch {
	case errors.Is(err, ErrNotFound):
		return "", false, nil
	case err != nil:
		return "", false, err
	case len(out.Addresses) != 1:
		return "", false, fmt.Errorf("%w: get_address: %d addresses", ErrResponse, len(out.Addresses))
	}
	return out.Addresses[0].Address, true, nil
}

// AddressCount returns the number of subaddresses of account 0, including the
// primary address. The next new address gets this index. The wallet has no
// cheap call for it, so AddressCount searches for it with about 2·log2(count)
// calls.
func (w *Wallet) AddressCount(ctx context.Context) (uint32, error) {
	known, unknown := uint32(0), uint32(1)
	for {
		_, ok, err := w.AddressAt(ctx, unknown)
		if err != nil {
			return 0, err
		}
		if !ok {
			break
		}
		if unknown > math.MaxUint32/2 {
			return 0, fmt.Errorf("%w: get_address: no end of addresses", ErrResponse)
		}
		known, unknown = unknown, unknown*2
	}
	for unknown-known > 1 {
		middle := known + (unknown-known)/2
		_, ok, err := w.AddressAt(ctx, middle)
		if err != nil {
			return 0, err
		}
		if ok {
			known = middle
		} else {
			unknown = middle
		}
	}
	return unknown, nil
}

// EnsureAddressCount makes subaddresses until account 0 has at least n,
// including the primary address, and stores the wallet.
func (w *Wallet) EnsureAddressCount(ctx context.Context, n uint32) error {
	have, err := w.AddressCount(ctx)
	if err != nil {
		return err
	}
	if err := w.ExtendAddresses(ctx, have, n); err != nil {
		return err
	}
	return w.Store(ctx)
}

// ExtendAddresses makes subaddresses of a wallet that has so many until it has n. It does
// not store them. Other calls take turns with its batches: one of 64 addresses takes a tenth
// of a second in a wallet with a look-ahead of 1, and seconds with a look-ahead of 200.
func (w *Wallet) ExtendAddresses(ctx context.Context, have, n uint32) error {
	for have < n {
		made, err := w.CreateAddresses(ctx, int(min(n-have, MaxCreate)))
		if err != nil {
			return err
		}
		have = made[len(made)-1].Index + 1
	}
	return nil
}
