package scan

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/durapay/durapay/internal/monero"
)

// pageBlocks is the number of blocks whose transactions are read and looked up together.
const pageBlocks = 100

// Scanner reads a daemon's chain and pool for any number of wallets. A restricted daemon is
// enough. It keeps transactions that it has read, with their candidates: so a transaction of the
// pool is not read again in its block, and is examined with new wallets alone. It keeps nothing
// else and is safe for concurrent use.
//
// Its methods return the errors of monero.Daemon, of the wallets, the lookup and the record,
// ErrForm, ErrHash, and monero.ErrTransaction. They return everything or nothing.
type Scanner struct {
	daemon  *monero.Daemon
	wallets Wallets
	lookup  Lookup
	record  Record
	kept    kept
}

// Wallets returns all wallets whose payments are found. It may append new ones to those that
// it has returned before, and nothing else. A wallet must be in the list before an address of it
// is given out.
type Wallets func(ctx context.Context) ([]*Wallet, error)

// NewScanner makes a scanner. It calls nothing yet.
func NewScanner(daemon *monero.Daemon, wallets Wallets, lookup Lookup, record Record) *Scanner {
	return &Scanner{daemon: daemon, wallets: wallets, lookup: lookup, record: record}
}

// Scanned is a block with the outputs in it that belong to wallets.
type Scanned struct {
	Block

	Outputs []Output
}

// Blocks reads the blocks from one height to another, both included. Each block is the
// parent of the next: monero.ErrUnavailable means that the chain changed while it was read.
// The caller compares the first one's Prev with the hash that it knows. Blocks returns
// monero.ErrNotFound above the top.
func (s *Scanner) Blocks(ctx context.Context, from, to uint64) ([]Scanned, error) {
	var scanned []Scanned
	var prev *Hash
	for from <= to {
		end := min(to, from+pageBlocks-1)
		page, err := s.page(ctx, prev, from, end)
		if err != nil {
			return nil, err
		}
		scanned = append(scanned, page...)
		from, prev = end+1, &page[len(page)-1].Hash
	}
	return scanned, nil
}

// page reads the blocks that follow the one with the hash prev, unless that is nil. Blocks that do
// not join can have the same transaction, so page checks first that they join.
func (s *Scanner) page(ctx context.Context, prev *Hash, from, to uint64) ([]Scanned, error) {
	var page []Scanned
	var rewards []*Tx
	var hashes []Hash
	for height := from; height <= to; height++ {
		block, err := s.block(ctx, height)
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", height, err)
		}
		if prev != nil && block.Prev != *prev {
			return nil, fmt.Errorf("%w: the chain changed below block %d", monero.ErrUnavailable, height)
		}
		page, hashes = append(page, Scanned{Block: *block}), append(hashes, block.Txs...)
		rewards, prev = append(rewards, block.Reward), &block.Hash
	}
	known, err := s.examine(ctx, rewards, hashes)
	if err != nil {
		return nil, err
	}
	places, txs := map[Hash]int{}, []examined{}
	for i, block := range page {
		places[block.Reward.Hash], txs = i, append(txs, known[block.Reward.Hash])
		for _, hash := range block.Txs {
			e, found := known[hash]
			if !found {
				return nil, fmt.Errorf("%w: transaction %s of block %d is missing", monero.ErrUnavailable, hash, block.Height)
			}
			if _, again := places[hash]; again {
				return nil, fmt.Errorf("%w: transaction %s of block %d is listed twice", monero.ErrTransaction, hash, block.Height)
			}
			places[hash], txs = i, append(txs, e)
		}
	}
	outputs, err := find(ctx, s.lookup, txs)
	if err != nil {
		return nil, err
	}
	for _, o := range outputs {
		at := &page[places[o.TxHash]]
		at.Outputs = append(at.Outputs, o)
	}
	return page, nil
}

// block asks for one block and checks its bytes.
func (s *Scanner) block(ctx context.Context, height uint64) (*Block, error) {
	claimed, blob, err := s.daemon.BlockBytes(ctx, height)
	if err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(blob)
	if err != nil {
		return nil, fmt.Errorf("%w: a block is not hex", monero.ErrResponse)
	}
	block, err := ParseBlock(raw)
	if err != nil {
		return nil, err
	}
	if block.Hash.String() != claimed || block.Height != height {
		return nil, fmt.Errorf("%w: %s at height %d, the bytes are %s at height %d", ErrHash, claimed, height, block.Hash, block.Height)
	}
	return block, nil
}

// located is a transaction with the place where the daemon has it.
type located struct {
	*Tx

	monero.TxPlace
}

// transactions asks for transactions and checks their bytes. Those that the daemon does not
// know are not in the result.
func (s *Scanner) transactions(ctx context.Context, hashes []Hash) (map[Hash]located, error) {
	texts := make([]string, len(hashes))
	for i, hash := range hashes {
		texts[i] = hash.String()
	}
	answers, err := s.daemon.TxBytes(ctx, texts)
	if err != nil {
		return nil, err
	}
	known := make(map[Hash]located, len(answers))
	for i, hash := range hashes {
		answer, found := answers[texts[i]]
		if !found {
			continue
		}
		tx, err := parseAnswer(answer)
		if err != nil {
			return nil, fmt.Errorf("transaction %s: %w", hash, err)
		}
		if tx.Hash != hash {
			return nil, fmt.Errorf("%w: transaction %s, the bytes are %s", ErrHash, hash, tx.Hash)
		}
		known[hash] = located{tx, answer.TxPlace}
	}
	return known, nil
}

func parseAnswer(answer monero.TxBytes) (*Tx, error) {
	if answer.PrunableHash == "" {
		raw, err := hex.DecodeString(answer.Whole)
		if err != nil {
			return nil, fmt.Errorf("%w: a transaction is not hex", monero.ErrResponse)
		}
		return ParseTx(raw)
	}
	proofs, err := ParseHash(answer.PrunableHash)
	if err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(answer.Pruned)
	if err != nil {
		return nil, fmt.Errorf("%w: a transaction is not hex", monero.ErrResponse)
	}
	return ParsePruned(raw, proofs)
}
