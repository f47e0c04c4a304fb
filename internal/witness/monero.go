package witness

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/durapay/durapay/internal/monero"
)

// Keys of the attributes in a wallet's file.
const (
	sendsKey     = "durapay.sends"
	addressesKey = "durapay.addresses"
	// rescanKey has a text while the wallet has to read the chain again.
	rescanKey = "durapay.rescan"
)

// MoneroSends keeps the mark of what was sent in the file of the spending
// wallet, which builds every transaction, and an entry as the note of its
// transaction.
type MoneroSends struct{ Wallet *monero.Wallet }

var _ Place = MoneroSends{}

// Name is what operators call it.
func (MoneroSends) Name() string { return "the spending wallet's file" }

// Covers says that it knows what was sent.
func (MoneroSends) Covers() Covers { return Covers{Sends: true} }

// Read reads the attribute.
func (p MoneroSends) Read(ctx context.Context) (Mark, error) {
	n, err := readAttribute(ctx, p.Wallet, sendsKey)
	return Mark{Sends: n}, err
}

// Raise writes note and attribute, and the file.
func (p MoneroSends) Raise(ctx context.Context, to Mark, entry *Entry) error {
	if entry != nil {
		note, err := json.Marshal(entry)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if err := p.Wallet.SetTxNote(ctx, entry.TxHash, string(note)); err != nil {
			return err
		}
	}
	return raiseAttribute(ctx, p.Wallet, sendsKey, to.Sends)
}

// Journal reads the notes.
func (p MoneroSends) Journal(ctx context.Context, txHashes []string) (map[string]Entry, error) {
	notes, err := p.Wallet.TxNotes(ctx, txHashes)
	if err != nil {
		return nil, err
	}
	list := map[string]Entry{}
	for i, note := range notes {
		var e Entry
		if json.Unmarshal([]byte(note), &e) == nil && e.TxHash == txHashes[i] {
			list[e.TxHash] = e
		}
	}
	return list, nil
}

// MoneroAddresses keeps the mark of what was handed out in the file of the
// watching wallet, which makes the addresses.
type MoneroAddresses struct{ Wallet *monero.Wallet }

var _ Place = MoneroAddresses{}

// Name is what operators call it.
func (MoneroAddresses) Name() string { return "the watching wallet's file" }

// Covers says that it knows what was handed out.
func (MoneroAddresses) Covers() Covers { return Covers{Addresses: true} }

// Read reads the attribute.
func (p MoneroAddresses) Read(ctx context.Context) (Mark, error) {
	n, err := readAttribute(ctx, p.Wallet, addressesKey)
	return Mark{Addresses: n}, err
}

// Raise writes the attribute and the file.
func (p MoneroAddresses) Raise(ctx context.Context, to Mark, _ *Entry) error {
	return raiseAttribute(ctx, p.Wallet, addressesKey, to.Addresses)
}

// Journal knows nothing: no address is in it.
func (MoneroAddresses) Journal(context.Context, []string) (map[string]Entry, error) {
	return map[string]Entry{}, nil
}

func readAttribute(ctx context.Context, w *monero.Wallet, key string) (int64, error) {
	text, err := w.Attribute(ctx, key)
	if err != nil || text == "" {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("the wallet's %s is not a number", key)
	}
	return n, nil
}

// raiseAttribute writes the attribute unless it is that high, and the file in
// any case: what is shown may be in memory only.
func raiseAttribute(ctx context.Context, w *monero.Wallet, key string, to int64) error {
	now, err := readAttribute(ctx, w, key)
	if err != nil {
		return err
	}
	if now < to {
		if err := w.SetAttribute(ctx, key, strconv.FormatInt(to, 10)); err != nil {
			return err
		}
	}
	return w.Store(ctx)
}
