package witness

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/durapay/durapay/internal/monero"
)

// Keys of the attributes in a wallet's file.
const (
	sendsKey     = "durapay.sends"
	addressesKey = "durapay.addresses"
	// sendKey is followed by a number below rememberedSends. The attribute holds the number
	// and the hash of a recorded transaction: the newest whose number has that remainder.
	sendKey = "durapay.send."
)

// rememberedSends is for how many of the newest numbers the file stores a hash.
const rememberedSends = 64

// MoneroFile keeps the marks in the file of the spending wallet, which builds every
// transaction. It keeps an entry as the note of its transaction.
type MoneroFile struct{ Wallet *monero.Wallet }

var _ Place = MoneroFile{}

// Name returns the operators' name for the place.
func (MoneroFile) Name() string { return "the spending wallet's file" }

// Read reads the attributes.
func (p MoneroFile) Read(ctx context.Context) (Mark, error) {
	sends, err := readAttribute(ctx, p.Wallet, sendsKey)
	if err != nil {
		return Mark{}, err
	}
	addresses, err := readAttribute(ctx, p.Wallet, addressesKey)
	return Mark{Sends: sends, Addresses: addresses}, err
}

// Raise writes the note and the attributes. It stores the file in any case, because the
// current values may be in memory only.
func (p MoneroFile) Raise(ctx context.Context, to Mark, entry *Entry) error {
	if entry != nil {
		if err := p.number(ctx, *entry); err != nil {
			return err
		}
		note, err := json.Marshal(entry)
		if err != nil {
			return fmt.Errorf("journal: %w", err)
		}
		if err := p.Wallet.SetTxNote(ctx, entry.TxHash, string(note)); err != nil {
			return err
		}
	}
	if err := raiseAttribute(ctx, p.Wallet, sendsKey, to.Sends); err != nil {
		return err
	}
	if err := raiseAttribute(ctx, p.Wallet, addressesKey, to.Addresses); err != nil {
		return err
	}
	return p.Wallet.Store(ctx)
}

// number records which transaction has the number. Transactions are not relayed in the
// order of their numbers, so the mark does not show whether a number was used before.
func (p MoneroFile) number(ctx context.Context, e Entry) error {
	key := sendKey + strconv.FormatInt(e.Seq%rememberedSends, 10)
	text, err := p.Wallet.Attribute(ctx, key)
	if err != nil {
		return err
	}
	number, hash, _ := strings.Cut(text, " ")
	seq, _ := strconv.ParseInt(number, 10, 64) // 0 where there is none
	switch {
	case seq == e.Seq && hash != e.TxHash:
		return fmt.Errorf("%w: %d is %s", ErrConflict, seq, hash)
	case seq >= e.Seq:
		return nil
	default:
		return p.Wallet.SetAttribute(ctx, key, fmt.Sprintf("%d %s", e.Seq, e.TxHash))
	}
}

// Journal reads the notes.
func (p MoneroFile) Journal(ctx context.Context, txHashes []string) (map[string]Entry, error) {
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

// raiseAttribute writes the attribute unless it is already that high.
func raiseAttribute(ctx context.Context, w *monero.Wallet, key string, to int64) error {
	now, err := readAttribute(ctx, w, key)
	if err != nil || now >= to {
		return err
	}
	return w.SetAttribute(ctx, key, strconv.FormatInt(to, 10))
}
