package scan

import (
	"context"
	"slices"
	"sync"

	"github.com/durapay/durapay/internal/monero"
)

// examined is a transaction with its candidates. It never changes: another one replaces it.
type examined struct {
	tx *Tx
	// wallets is the number of wallets, of the first of all, with which it was examined.
	wallets    int
	candidates []candidate
	// read is where the daemon had it when it was read.
	read monero.TxPlace
	// asked reports whether the candidates were looked up while it was in the pool, and paid
	// are the outputs that belonged to wallets then.
	asked bool
	paid  []Output
}

// with returns a transaction that was examined with all of these wallets.
func (e examined) with(wallets []*Wallet) examined {
	if e.wallets >= len(wallets) {
		return e
	}
	more := e.tx.candidatesOf(wallets[e.wallets:])
	e.wallets, e.asked = len(wallets), e.asked && len(more) == 0
	e.candidates = slices.Concat(e.candidates, more)
	return e
}

// fewKept is the number of transactions that are kept beside those of the pool, and as many
// older ones. Most take half a kilobyte, and one kilobyte with a thousand wallets.
const fewKept = 5000

// mostRead is the number of transactions whose bytes are in memory at once.
const mostRead = 1000

// kept are the transactions that were examined lately. A hash stands for the bytes, so they
// stay right whatever the chain does.
type kept struct {
	mu           sync.Mutex
	newer, older map[Hash]examined
	// pool is the number of transactions that were last in the pool.
	pool int
}

// makeRoom lets the newer half hold a pool of this size.
func (k *kept) makeRoom(pool int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pool = pool
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

func (k *kept) put(e examined) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(e.tx.Hash, e)
}

// add makes the newer half the older one when it is full.
func (k *kept) add(hash Hash, e examined) {
	if k.newer == nil || len(k.newer) >= k.pool+fewKept {
		k.newer, k.older = map[Hash]examined{}, k.newer
	}
	k.newer[hash] = e
}

// examineOne examines a transaction with the wallets that are new to it, unless the context has
// ended: a thousand wallets take a tenth of a second.
func (s *Scanner) examineOne(ctx context.Context, wallets []*Wallet, e examined) (examined, error) {
	if e.wallets == 0 || e.wallets < len(wallets) {
		if err := ctx.Err(); err != nil {
			return e, err
		}
		e = e.with(wallets)
		s.kept.put(e)
	}
	return e, nil
}

// examine asks for the transactions that are not kept, and examines all with every wallet.
// Those that the daemon does not know are not in the result. read are transactions that were
// read already.
//
// It asks for the wallets itself, because the caller has read the hashes by then. So a wallet
// is known here before something can be paid to the first address that was given out for it.
func (s *Scanner) examine(ctx context.Context, read []*Tx, hashes []Hash) (map[Hash]examined, error) {
	wallets, err := s.wallets(ctx)
	if err != nil {
		return nil, err
	}
	list, missing := make(map[Hash]examined, len(hashes)+len(read)), []Hash{}
	for _, tx := range read {
		e, found := s.kept.get(tx.Hash)
		if !found {
			e = examined{tx: tx}
		}
		if list[tx.Hash], err = s.examineOne(ctx, wallets, e); err != nil {
			return nil, err
		}
	}
	for _, hash := range hashes {
		e, found := s.kept.get(hash)
		if !found {
			missing = append(missing, hash)
			continue
		}
		if list[hash], err = s.examineOne(ctx, wallets, e); err != nil {
			return nil, err
		}
	}
	for chunk := range slices.Chunk(missing, mostRead) {
		txs, err := s.transactions(ctx, chunk)
		if err != nil {
			return nil, err
		}
		for hash, t := range txs {
			if list[hash], err = s.examineOne(ctx, wallets, examined{tx: t.Tx, read: t.TxPlace}); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
