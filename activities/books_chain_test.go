package activities_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// The weight of a transaction of this chain, and the price of a byte.
const (
	booksPerByte   = 20_000
	booksPerInput  = 700
	booksPerOutput = 400
	// booksFinal is the depth from which no reorganization removes a block any more.
	booksFinal = 10
)

// booksChain is a small Monero: blocks, one daemon's pool, the bytes that people keep, and the wallet whose
// process and daemon answer over HTTP. A real chain cannot be made to lose, bring back and double spend
// transactions as a test needs it, thousands of times.
type booksChain struct {
	mu sync.Mutex
	// name makes hashes unique among all chains of the process.
	name   string
	blocks []string
	forked int
	// txs are by hash, order is that in which they were made.
	txs   map[string]*booksTx
	order []string
	// at is the block of each transaction that is mined, pool are those that wait.
	at   map[string]int
	pool map[string]bool
	// spent are the transactions in blocks that spend outputs, by key image.
	spent  map[string]string
	frozen map[string]bool
	// origin is the output that a key image is of.
	origin map[string]booksOutput
	// smallest lets the wallet spend its smallest outputs first.
	smallest bool
	// made is how many addresses the wallet has made, its primary one included. It has read past the
	// transactions in unread, because they pay addresses that it had not made.
	made   int32
	unread map[string]bool
	// deriver has the wallet's addresses; attributes are in its file.
	deriver    *monero.Deriver
	attributes map[string]string
}

type booksTx struct {
	hash, blob string
	// inputs are key images of our outputs, or names of other owners' coins.
	inputs []string
	// from are the places that those of our outputs had when it was made.
	from   map[string]int
	outs   []booksOut
	fee    money.Piconero
	unlock int
	// place changes when it was missing for so long that it comes back to another place.
	place int
	// out is set once the network got its bytes, refused if the network does not take them.
	out, refused bool
	// service is set if this service has built it, hand if another owner of the wallet's seed has.
	service, hand bool
}

// booksOut pays a subaddress of the wallet, or a foreign address.
type booksOut struct {
	to     string
	index  int32
	amount money.Piconero
}

type booksOutput struct {
	tx string
	booksOut
}

func newBooksChain(name string) *booksChain {
	c := &booksChain{
		name: name, txs: map[string]*booksTx{}, at: map[string]int{}, pool: map[string]bool{}, spent: map[string]string{},
		frozen: map[string]bool{}, origin: map[string]booksOutput{}, made: 1, unread: map[string]bool{}, attributes: map[string]string{},
	}
	c.grow(100)
	return c
}

func (c *booksChain) digest(what string) string {
	sum := sha256.Sum256([]byte(c.name + " " + what))
	return hex.EncodeToString(sum[:])
}

func (c *booksChain) grow(n int) {
	for range n {
		c.blocks = append(c.blocks, c.digest(fmt.Sprintf("block %d of fork %d", len(c.blocks), c.forked)))
	}
}

// add stores a transaction that no daemon knows yet.
func (c *booksChain) add(tx booksTx) *booksTx {
	n := fmt.Sprint("tx ", len(c.order))
	tx.hash, tx.from = c.digest(n), map[string]int{}
	var inputs strings.Builder
	for _, image := range tx.inputs {
		inputs.WriteString("020000" + image)
		if o, ours := c.origin[image]; ours {
			tx.from[image] = c.txs[o.tx].place
		}
	}
	tx.blob = fmt.Sprintf("0200%02x%s%s", len(tx.inputs), inputs.String(), tx.hash)
	if len(tx.inputs) > 127 {
		panic("too many inputs for a length of one byte")
	}
	for i, o := range tx.outs {
		if o.to == "" {
			c.origin[c.image(tx.hash, i)] = booksOutput{tx.hash, o}
			c.unread[tx.hash] = c.unread[tx.hash] || o.index >= c.made
		}
	}
	c.txs[tx.hash], c.order = &tx, append(c.order, tx.hash)
	return &tx
}

func (c *booksChain) image(hash string, i int) string { return c.digest(fmt.Sprint(hash, " ", i)) }

// loseFile replaces the wallet by one of its seed, which has made no address.
func (c *booksChain) loseFile() {
	c.made, c.attributes = 1, map[string]string{}
	c.rescan()
}

// rescan lets the wallet read everything again.
func (c *booksChain) rescan() {
	for hash, tx := range c.txs {
		c.unread[hash] = slices.ContainsFunc(tx.outs, func(o booksOut) bool { return o.to == "" && o.index >= c.made })
	}
}

// depth is the number of blocks that hold a transaction, its own included.
func (c *booksChain) depth(hash string) int {
	if height, mined := c.at[hash]; mined {
		return len(c.blocks) - height
	}
	return 0
}

// spendable reports whether a block can hold a transaction: the outputs that it spends lie deep where they
// were, and no other transaction in a block spends them.
func (c *booksChain) spendable(tx *booksTx) bool {
	for _, image := range tx.inputs {
		if by := c.spent[image]; by != "" && by != tx.hash {
			return false
		}
		if o, ours := c.origin[image]; ours && (c.depth(o.tx) < booksFinal || c.txs[o.tx].place != tx.from[image]) {
			return false
		}
	}
	return true
}

// dead reports whether no reorganization can bring a transaction into a block any more.
func (c *booksChain) dead(tx *booksTx) bool {
	return slices.ContainsFunc(tx.inputs, func(image string) bool {
		by := c.spent[image]
		o, ours := c.origin[image]
		return by != "" && by != tx.hash && c.depth(by) >= booksFinal || ours && (c.txs[o.tx].place != tx.from[image] || c.dead(c.txs[o.tx]))
	})
}

// spentElsewhere reports whether everything that a transaction pays to the wallet is spent for good by a
// transaction that this service has not built.
func (c *booksChain) spentElsewhere(hash string) bool {
	for i, o := range c.txs[hash].outs {
		by := c.spent[c.image(hash, i)]
		if o.to == "" && (by == "" || c.txs[by].service || c.depth(by) < booksFinal) {
			return false
		}
	}
	return true
}

// mine makes a block of those in the pool that are taken.
func (c *booksChain) mine(taken func(hash string) bool) {
	height := len(c.blocks)
	c.grow(1)
	for _, hash := range c.order {
		if tx := c.txs[hash]; c.pool[hash] && taken(hash) && c.spendable(tx) {
			c.include(tx, height)
		}
	}
}

func (c *booksChain) include(tx *booksTx, height int) {
	c.at[tx.hash], tx.out = height, true
	delete(c.pool, tx.hash)
	for _, image := range tx.inputs {
		c.spent[image] = tx.hash
	}
	for hash := range c.pool { // a transaction with the same inputs is lost
		if slices.ContainsFunc(c.txs[hash].inputs, func(image string) bool { return c.spent[image] != "" }) {
			delete(c.pool, hash)
		}
	}
}

// pop removes the newest blocks. Their transactions wait in the pool.
func (c *booksChain) pop(n int) (popped []string) {
	c.blocks = c.blocks[:len(c.blocks)-n]
	c.forked++
	for _, hash := range c.order {
		if height, mined := c.at[hash]; mined && height >= len(c.blocks) {
			delete(c.at, hash)
			c.pool[hash] = true
			popped = append(popped, hash)
			for _, image := range c.txs[hash].inputs {
				delete(c.spent, image)
			}
		}
	}
	return popped
}

// offer hands a transaction to the daemon, and reports whether the daemon took it.
func (c *booksChain) offer(tx *booksTx) bool {
	if _, mined := c.at[tx.hash]; mined || c.pool[tx.hash] {
		return true
	}
	tx.out = true
	if tx.refused || !c.spendable(tx) {
		return false
	}
	for hash := range c.pool {
		if slices.ContainsFunc(c.txs[hash].inputs, func(image string) bool { return slices.Contains(tx.inputs, image) }) {
			return false
		}
	}
	c.pool[tx.hash] = true
	return true
}

// gone are the transactions that the network once had, and has not now.
func (c *booksChain) gone() (list []*booksTx) {
	for _, hash := range c.order {
		if _, mined := c.at[hash]; c.txs[hash].out && !mined && !c.pool[hash] {
			list = append(list, c.txs[hash])
		}
	}
	return list
}

// unspent are the outputs of the wallet that no block spends, deep enough to be spent.
func (c *booksChain) unspent() (images []string) {
	for _, hash := range c.order {
		for i, o := range c.txs[hash].outs {
			if image := c.image(hash, i); o.to == "" && o.amount > 0 && c.ripe(hash) && c.spent[image] == "" {
				images = append(images, image)
			}
		}
	}
	return images
}

func (c *booksChain) ripe(hash string) bool {
	return c.depth(hash) >= booksFinal && c.txs[hash].unlock <= len(c.blocks)
}
