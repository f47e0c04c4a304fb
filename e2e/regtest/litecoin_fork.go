package regtest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/durapay/durapay/internal/utxo"
)

// LitecoinFork is a chain of Litecoin and the second daemon that it is joined
// with, as Fork is for Monero.
type LitecoinFork struct {
	hereURL, thereURL string
	here, there       *utxo.Client
	// peer is where the second daemon takes connections, host:port.
	peer   string
	reward string
}

// NewLitecoinFork uses two daemons: here, whose URL names the wallet that gets
// the second's rewards, and there, which listens to peers.
func NewLitecoinFork(ctx context.Context, hereURL, thereURL, peer string) (*LitecoinFork, error) {
	f := &LitecoinFork{hereURL: hereURL, thereURL: thereURL, peer: peer}
	var err error
	if f.here, err = utxo.New(utxo.Endpoint{URL: hereURL}, patient()); err != nil {
		return nil, err
	}
	if f.there, err = utxo.New(utxo.Endpoint{URL: thereURL}, patient()); err != nil {
		return nil, err
	}
	f.reward, err = f.here.NewAddress(ctx)
	return f, err
}

// Close drops idle connections, for which a daemon that stops would wait half a minute.
func (f *LitecoinFork) Close() {
	f.here.Close()
	f.there.Close()
	http.DefaultClient.CloseIdleConnections()
}

// Part ends the connection between the two once both have one chain.
func (f *LitecoinFork) Part(ctx context.Context) error {
	if err := untilDone(ctx, f.oneChain); err != nil {
		return err
	}
	return untilDone(ctx, func(ctx context.Context) error {
		joined, err := f.joined(ctx)
		if err != nil || !joined {
			return err
		}
		return errors.Join(errors.New("the two are still connected"), bitcoin(ctx, f.hereURL, nil, "disconnectnode", f.peer))
	})
}

// Join connects the two and waits until they have one chain.
func (f *LitecoinFork) Join(ctx context.Context) error {
	return untilDone(ctx, func(ctx context.Context) error {
		joined, err := f.joined(ctx)
		if err == nil && !joined {
			err = bitcoin(ctx, f.hereURL, nil, "addnode", f.peer, "onetry")
		}
		if err != nil {
			return err
		}
		return f.oneChain(ctx)
	})
}

// joined reports whether the first is connected to the second. The first has other
// peers, too, such as a worker that listens for payments; their connections stay.
func (f *LitecoinFork) joined(ctx context.Context) (bool, error) {
	var peers []struct {
		Address string `json:"addr"`
	}
	err := bitcoin(ctx, f.hereURL, &peers, "getpeerinfo")
	for _, p := range peers {
		if p.Address == f.peer {
			return true, err
		}
	}
	return false, err
}

// oneChain returns an error unless both have the same newest block.
func (f *LitecoinFork) oneChain(ctx context.Context) error {
	here, err := f.here.Info(ctx)
	if err != nil {
		return err
	}
	there, err := f.there.Info(ctx)
	if err == nil && here.BestHash != there.BestHash {
		err = fmt.Errorf("block %d here, %d there", here.Blocks, there.Blocks)
	}
	return err
}

// Outgrow mines there until that chain is so many blocks longer than this one.
func (f *LitecoinFork) Outgrow(ctx context.Context, blocks int) error {
	here, err := f.here.Info(ctx)
	if err != nil {
		return err
	}
	there, err := f.there.Info(ctx)
	if err != nil {
		return err
	}
	_, err = f.there.Generate(ctx, f.reward, here.Blocks+uint64(blocks)-there.Blocks)
	return err
}

// Give hands a transaction of this chain to the second daemon.
func (f *LitecoinFork) Give(ctx context.Context, txHash string) error {
	var raw string
	if err := bitcoin(ctx, f.hereURL, &raw, "getrawtransaction", txHash); err != nil {
		return err
	}
	return f.Send(ctx, raw)
}

// Send hands a signed transaction (hex) to the second daemon.
func (f *LitecoinFork) Send(ctx context.Context, raw string) error { return f.there.Send(ctx, raw) }

// TakeBack gives the second daemon a transaction that spends a coin which one
// of this chain spends, too. The named wallet, which made that, signs it. It
// returns the hash of what it made.
func (f *LitecoinFork) TakeBack(ctx context.Context, txHash, wallet, address string) (made string, err error) {
	var taken, before transaction
	if err := bitcoin(ctx, f.hereURL, &taken, "getrawtransaction", txHash, true); err != nil {
		return "", err
	}
	input := taken.Inputs[0]
	if err := bitcoin(ctx, f.hereURL, &before, "getrawtransaction", input.TxHash, true); err != nil {
		return "", err
	}
	coin := before.Outputs[input.Output]
	amount, err := utxo.ParseAmount(coin.Value.String())
	if err != nil {
		return "", err
	}
	const fee = 20_000
	var draft string
	spend := []map[string]any{{"txid": input.TxHash, "vout": input.Output}}
	if err := bitcoin(ctx, f.hereURL, &draft, "createrawtransaction", spend, map[string]utxo.Amount{address: amount - fee}); err != nil {
		return "", err
	}
	owner, err := walletURL(f.hereURL, wallet)
	if err != nil {
		return "", err
	}
	// The coin is spent already where the wallet looks.
	known := []map[string]any{{
		"txid": input.TxHash, "vout": input.Output, "scriptPubKey": coin.Script.Hex, "amount": coin.Value,
	}}
	var signed struct {
		Hex      string `json:"hex"`
		Complete bool   `json:"complete"`
	}
	if err := bitcoin(ctx, owner, &signed, "signrawtransactionwithwallet", draft, known); err != nil {
		return "", err
	}
	if !signed.Complete {
		return "", errors.New("the wallet does not own the coin")
	}
	err = bitcoin(ctx, f.thereURL, &made, "sendrawtransaction", signed.Hex)
	return made, err
}

func walletURL(daemon, wallet string) (string, error) {
	u, err := url.Parse(daemon)
	if err != nil {
		return "", err
	}
	u.Path = u.Path[:strings.LastIndexByte(u.Path, '/')+1] + wallet
	return u.String(), nil
}
