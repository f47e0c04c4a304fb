package scan

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"time"

	"github.com/durapay/durapay/internal/monero"
)

// Block is a block, read from its bytes.
type Block struct {
	Hash, Prev Hash
	Height     uint64
	Time       time.Time
	// Reward is the transaction that pays the miner. Txs are the hashes of all other transactions.
	Reward *Tx
	Txs    []Hash
}

// lastVersion is the newest version of blocks that this package knows. A new version may
// add fields to a block's head.
const lastVersion = 16

// nonceLen is the length of the number that the miner searched.
const nonceLen = 4

// ParseBlock reads a block and computes its hash. It returns ErrForm for a version that it
// does not know, and monero.ErrTransaction for bytes that are not a block. The hash of one
// block of the main chain (202,612) is not that of its bytes, so it is not read.
func ParseBlock(blob []byte) (*Block, error) {
	r, b := monero.NewBlobReader(blob), &Block{}
	if version := r.Varint(); !r.Failed() && (version == 0 || version > lastVersion) {
		return nil, fmt.Errorf("%w: block version %d", ErrForm, version)
	}
	r.Varint() // the version for which the miner votes
	b.Time = time.Unix(int64(min(r.Varint(), lastSecond)), 0).UTC()
	copy(b.Prev[:], r.Bytes(len(b.Prev)))
	r.Bytes(nonceLen)
	head, rest := blob[:len(blob)-r.Remaining()], blob[len(blob)-r.Remaining():]
	if r.Failed() {
		return nil, fmt.Errorf("%w: a block is cut", monero.ErrTransaction)
	}
	var err error
	if b.Reward, err = parseTx(r); err != nil {
		return nil, err
	}
	if !b.Reward.Reward {
		return nil, fmt.Errorf("%w: a block without a reward", monero.ErrTransaction)
	}
	b.Height = b.Reward.Height
	if b.Reward, err = ParseTx(rest[:b.Reward.lengths.base]); err != nil {
		return nil, err
	}
	b.Txs = readHashes(r)
	if r.Failed() || r.Remaining() > 0 {
		return nil, fmt.Errorf("%w: a block's transactions", monero.ErrTransaction)
	}
	b.Hash = b.hash(head)
	return b, nil
}

// lastSecond is the last second of 9999-12-30, which all formats of times can hold.
const lastSecond = 253_402_214_399

func readHashes(r *monero.BlobReader) []Hash {
	keys := readKeys(r, r.Varint())
	hashes := make([]Hash, len(keys))
	for i, key := range keys {
		hashes[i] = Hash(key)
	}
	return hashes
}

// hash is calculate_block_hash: of the head, the root of the transactions' hashes and their
// number (get_block_hashing_blob), with their length before them.
func (b *Block) hash(head []byte) Hash {
	root := treeHash(append([]Hash{b.Reward.Hash}, b.Txs...))
	number := binary.AppendUvarint(nil, uint64(len(b.Txs)+1))
	length := binary.AppendUvarint(nil, uint64(len(head)+len(root)+len(number)))
	return hashOf(length, head, root[:], number)
}

// treeHash is tree_hash (tree-hash.c): the root of a tree whose lowest complete row is the
// largest power of two that is less than the number of hashes. It needs at least one hash.
func treeHash(hashes []Hash) Hash {
	if len(hashes) == 1 {
		return hashes[0]
	}
	row := 1 << (bits.Len(uint(len(hashes)-1)) - 1)
	single := 2*row - len(hashes)
	level := append([]Hash{}, hashes[:single]...)
	for rest := hashes[single:]; len(rest) > 0; rest = rest[2:] {
		level = append(level, hashOf(rest[0][:], rest[1][:]))
	}
	for len(level) > 1 {
		for i := range len(level) / 2 {
			level[i] = hashOf(level[2*i][:], level[2*i+1][:])
		}
		level = level[:len(level)/2]
	}
	return level[0]
}
