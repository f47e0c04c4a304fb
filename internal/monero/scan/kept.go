package scan

import (
	"context"
	"slices"
	"sync"

	"github.com/durapay/durapay/internal/monero"
)

// examined is a transaction with its candidates. A transaction without candidates is left
// out, because nothing more is asked of it.
type examined struct {
	tx         *Tx
	candidates []Candidate
	// read is where the daemon had it when it was read.
	read monero.TxPlace
}

func examine(view *monero.Deriver, tx *Tx) examined {
	if candidates := Candidates(view, tx); len(candidates) > 0 {
		return examined{tx: tx, candidates: candidates}
	}
	return examined{}
}

// mostKept is the number of transactions in the newer half of those that are kept. Most
// have no candidate and take some hundred bytes.
const mostKept = 25_000

// mostRead is the number of transactions whose bytes are in memory at once.
const mostRead = 1000

// kept are the transactions that were examined lately. A hash stands for the bytes, so they
// stay right whatever the chain does.
type kept struct {
	mu           sync.Mutex
	newer, older map[Hash]examined
}

func (k *kept) get(hash Hash) (examined, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, found := k.newer[hash]; found {
		return e, true
	}
	e, found := k.older[hash]
	if found {
		k.add(hash, e)
	}
	return e, found
}

func (k *kept) put(hash Hash, e examined) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(hash, e)
}

// add makes the newer half the older one when it is full.
func (k *kept) add(hash Hash, e examined) {
	if k.newer == nil || len(k.newer) >= mostKept {
		k.newer, k.older = map[Hash]examined{}, k.newer
	}
	k.newer[hash] = e
}

// examineOne examines a transaction unless that is kept.
func (s *Scanner) examineOne(tx *Tx) examined {
	e, found := s.kept.get(tx.Hash)
	if !found {
		e = examine(s.view, tx)
		s.kept.put(tx.Hash, e)
	}
	return e
}

// examine asks for the transactions that are not kept, and examines them. Those that the
// daemon does not know are not in the result.
func (s *Scanner) examine(ctx context.Context, hashes []Hash) (map[Hash]examined, error) {
	list, missing := make(map[Hash]examined, len(hashes)), []Hash{}
	for _, hash := range hashes {
		if e, found := s.kept.get(hash); found {
			list[hash] = e
		} else {
			missing = append(missing, hash)
		}
	}
	for chunk := range slices.Chunk(missing, mostRead) {
		txs, err := s.transactions(ctx, chunk)
		if err != nil {
			return nil, err
		}
		for hash, t := range txs {
			e := s.examineOne(t.Tx)
			if e.tx != nil {
				e.read = t.TxPlace
				s.kept.put(hash, e)
			}
			list[hash] = e
		}
	}
	return list, nil
}
