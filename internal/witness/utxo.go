package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/utxo"
)

// Beginnings of the labels in a wallet of Bitcoin's kind.
const (
	markLabel  = "durapay mark "
	entryLabel = "durapay sent "
)

// Labels keeps a wallet's mark as the label of one address of the wallet that
// nobody is told, because such a wallet has no attributes. It keeps an entry
// as the label of the address that was paid. An address that is paid twice has
// the newest entry.
type Labels struct{ Client *utxo.Client }

var _ Place = Labels{}

// Name is what operators call it.
func (Labels) Name() string { return "the wallet's file" }

// Read is the highest of the marks that the wallet has.
func (p Labels) Read(ctx context.Context) (Mark, error) {
	_, mark, err := p.find(ctx)
	return mark, err
}

func (p Labels) find(ctx context.Context) (label string, mark Mark, err error) {
	labels, err := p.Client.Labels(ctx)
	if err != nil {
		return "", mark, err
	}
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

// Raise labels the address of the mark, which is made when there is none, and
// those that the entry's transaction pays.
func (p Labels) Raise(ctx context.Context, to Mark, entry *Entry) error {
	if entry != nil {
		if err := p.note(ctx, *entry); err != nil {
			return err
		}
	}
	label, mark, err := p.find(ctx)
	if err != nil || (label != "" && mark.covers(to)) {
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

func (p Labels) note(ctx context.Context, e Entry) error {
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

// Journal reads the labels of what the transactions paid.
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
			text, ok := strings.CutPrefix(label, entryLabel)
			var e Entry
			if ok && json.Unmarshal([]byte(text), &e) == nil && e.TxHash == hash {
				list[hash] = e
			}
		}
	}
	return list, nil
}
