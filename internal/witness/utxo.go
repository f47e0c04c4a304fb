package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/utxo"
)

// Prefixes of the labels in a Bitcoin-like wallet.
const (
	markLabel  = "durapay mark "
	entryLabel = "durapay sent "
)

// Labels keeps a wallet's mark as the label of one address of the wallet that
// is never given out, because such a wallet has no attributes. It keeps an
// entry as the label of the paid address. An address that is paid twice has the
// newest entry.
type Labels struct{ Client *utxo.Client }

var _ Place = Labels{}

// Name returns the operators' name for the place.
func (Labels) Name() string { return "the wallet's file" }

// Read returns the highest of the wallet's marks.
func (p Labels) Read(ctx context.Context) (Mark, error) {
	labels, err := p.Client.Labels(ctx)
	if err != nil {
		return Mark{}, err
	}
	_, mark, err := findMark(labels)
	return mark, err
}

// findMark returns the highest of the marks, and a label that holds one.
func findMark(labels []string) (label string, mark Mark, err error) {
	for _, l := range labels {
		text, ok := strings.CutPrefix(l, markLabel)
		if !ok {
			continue
		}
		var m Mark
		if _, err := fmt.Sscanf(text, "%d %d", &m.Sends, &m.Addresses); err != nil {
			return "", mark, fmt.Errorf("the wallet's label %q is not a mark", l)
		}
		label, mark = l, mark.Max(m)
	}
	return label, mark, nil
}

// Raise labels the address of the mark, which it makes if there is none, and
// the addresses that the entry's transaction pays.
func (p Labels) Raise(ctx context.Context, to Mark, entry *Entry) error {
	labels, err := p.Client.Labels(ctx)
	if err != nil {
		return err
	}
	if entry != nil {
		if err := p.note(ctx, *entry, labels); err != nil {
			return err
		}
	}
	label, mark, err := findMark(labels)
	if err != nil || (label != "" && mark == mark.Max(to)) {
		return err
	}
	var address string
	if label == "" {
		address, err = p.Client.NewAddress(ctx)
	} else {
		address, err = p.Client.LabelledAddress(ctx, label)
	}
	if err != nil {
		return err
	}
	mark = mark.Max(to)
	return p.Client.SetLabel(ctx, address, fmt.Sprintf("%s%d %d", markLabel, mark.Sends, mark.Addresses))
}

// note labels the addresses that the transaction pays. labels are the wallet's
// labels.
func (p Labels) note(ctx context.Context, e Entry, labels []string) error {
	for _, l := range labels {
		if other, ok := noted(l); ok && other.Seq == e.Seq && other.TxHash != e.TxHash {
			return fmt.Errorf("%w: %d is %s", ErrConflict, other.Seq, other.TxHash)
		}
	}
	tx, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	for _, address := range e.To {
		if err := p.Client.SetLabel(ctx, address, entryLabel+string(tx)); err != nil {
			return err
		}
	}
	return nil
}

// Journal reads the labels of the addresses that the transactions paid.
func (p Labels) Journal(ctx context.Context, txHashes []string) (map[string]Entry, error) {
	list := map[string]Entry{}
	for _, hash := range txHashes {
		labels, err := p.Client.SentLabels(ctx, hash)
		if errors.Is(err, utxo.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, label := range labels {
			if e, ok := noted(label); ok && e.TxHash == hash {
				list[hash] = e
			}
		}
	}
	return list, nil
}

// noted returns the entry in a label. ok is false for any other label.
func noted(label string) (e Entry, ok bool) {
	text, ok := strings.CutPrefix(label, entryLabel)
	return e, ok && json.Unmarshal([]byte(text), &e) == nil
}
