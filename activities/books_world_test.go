package activities_test

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
)

// The events around the service: people pay and spend, blocks come and go.

// sell makes a charge and has a customer pay it.
func (b *books) sell(r *rapid.T) {
	if b.free == 0 {
		r.Skip("no address")
	}
	b.free--
	s := pick(r, b.shops, "shop")
	in := s.request()
	in.ChargeID, in.Now, in.Currency = secret.NewID("ch_"), b.tick(), money.XMR
	asked := money.Piconero(rapid.SampledFrom([]int{1, 2, 30}).Draw(r, "hundredths")) * money.OneXMR / 100
	in.Amount = asked.Decimal()
	c := booksCharge{id: in.ChargeID, shop: s, asked: asked}
	require.NoError(r, b.again(r, func() error {
		made, err := s.charges.Create(b.t.Context(), in)
		c.index = made.SubaddressIndex
		return err
	}))
	require.False(r, b.lost[c.index], "address %d is given out a second time", c.index)
	b.handedOut = max(b.handedOut, c.index)
	b.made = append(b.made, c)
	b.ledger.charges[c.id] = &ledgerCharge{shop: s.merchant, asked: asked}
	switch rapid.SampledFrom([]string{"exactly", "more", "less", "in parts", "locked", "nothing"}).Draw(r, "pays") {
	case "exactly":
		b.pay(r, c, asked, 0)
	case "more":
		b.pay(r, c, asked*3/2, 0)
	case "less":
		b.pay(r, c, asked/2, 0)
	case "in parts":
		b.pay(r, c, asked/10, 0)
		b.pay(r, c, asked-asked/10, 0)
	case "locked":
		b.pay(r, c, asked, len(b.chain.blocks)+15)
	case "nothing":
	}
}

// sellDeep is a sale whose payment lies deep in the chain at once.
func (b *books) sellDeep(r *rapid.T) {
	b.sell(r)
	b.mineAll(11)
}

// pay hands a payment to the network. The service sees one after the other, so that runs are alike.
func (b *books) pay(r *rapid.T, c booksCharge, amount money.Piconero, unlock int) {
	tx := b.chain.add(booksTx{
		inputs: []string{b.chain.digest(fmt.Sprint("coin ", len(b.chain.order)))}, outs: []booksOut{{index: c.index, amount: amount}}, unlock: unlock,
	})
	b.chain.offer(tx)
	b.ledger.payments[tx.hash] = &ledgerPayment{charge: c.id, amount: amount}
	b.scanAll(r)
}

// payMore pays a charge once more.
func (b *books) payMore(r *rapid.T) {
	if len(b.made) == 0 {
		r.Skip("no charge")
	}
	c := pick(r, b.made, "charge")
	b.pay(r, c, c.asked/money.Piconero(rapid.SampledFrom([]int{1, 2, 20}).Draw(r, "part")), 0)
}

func (b *books) mineAll(n int) {
	b.chain.mine(func(string) bool { return true })
	b.chain.grow(n - 1)
}

// blocks come, with all that waits.
func (b *books) blocks(r *rapid.T) { b.mineAll(rapid.SampledFrom([]int{10, 1, 3}).Draw(r, "blocks")) }

// final reports whether something relies on blocks that no reorganization removes: an output spent by hand, or
// bytes that were given up. If not, the test makes deeper reorganizations too.
func (b *books) final() bool {
	for _, p := range b.ledger.payouts {
		if p.ended && p.tx != "" && b.chain.txs[p.tx].out {
			return true
		}
	}
	return slices.ContainsFunc(b.chain.order, func(hash string) bool { return b.chain.txs[hash].hand })
}

// reorganize replaces blocks. Their transactions are mined in the new blocks, wait, are lost, or double spent.
func (b *books) reorganize(r *rapid.T) {
	depths := []int{1, 3, 9}
	if !b.final() {
		depths = append(depths, 13)
	}
	depth := rapid.SampledFrom(depths).Draw(r, "depth")
	stays := map[string]bool{}
	for _, hash := range b.chain.pop(depth) {
		tx := b.chain.txs[hash]
		switch fate := rapid.SampledFrom([]string{"is mined again", "waits", "is lost", "is refused"}).Draw(r, "what it held"); fate {
		case "is mined again":
			stays[hash] = true
		case "is refused", "is lost":
			delete(b.chain.pool, hash)
			if fate == "is lost" {
				break
			}
			if tx.refused = true; !tx.service && !tx.hand {
				b.chain.include(b.chain.add(booksTx{inputs: tx.inputs, outs: []booksOut{{to: "another", amount: 1}}}), len(b.chain.blocks))
			}
		}
	}
	b.chain.mine(func(hash string) bool { return stays[hash] })
	b.chain.grow(depth)
}

// comeBack has a customer hand in a transaction that the network lost. Bytes that were given up are left alone,
// because they bring the wallet into safe mode. The ledger checks that they cannot pay twice.
func (b *books) comeBack(r *rapid.T) {
	given := map[string]bool{}
	for _, p := range b.ledger.payouts {
		given[p.tx] = given[p.tx] || p.ended
	}
	list := slices.DeleteFunc(b.chain.gone(), func(tx *booksTx) bool { return given[tx.hash] || tx.hand })
	if len(list) == 0 {
		r.Skip("nothing is lost")
	}
	tx := pick(r, list, "transaction")
	tx.refused = false
	b.chain.offer(tx)
}

// lose takes a transaction out of the pool.
func (b *books) lose(r *rapid.T) {
	list := slices.DeleteFunc(slices.Clone(b.chain.order), func(hash string) bool { return !b.chain.pool[hash] })
	if len(list) == 0 {
		r.Skip("nothing waits")
	}
	hash := pick(r, list, "transaction")
	delete(b.chain.pool, hash)
	b.chain.txs[hash].refused = rapid.Bool().Draw(r, "and refuses it")
}

// byHand has an owner of the wallet's seed spend an output.
func (b *books) byHand(r *rapid.T) {
	list := b.chain.unspent()
	if len(list) == 0 {
		r.Skip("nothing to spend")
	}
	tx := b.chain.add(booksTx{inputs: []string{pick(r, list, "output")}, outs: []booksOut{{to: "elsewhere", amount: 1}}, hand: true})
	b.chain.grow(1)
	b.chain.include(tx, len(b.chain.blocks)-1)
	b.chain.grow(rapid.SampledFrom([]int{0, 10}).Draw(r, "blocks above"))
}

// day lets a day pass for missing transactions. If one comes back, it comes back to another place.
func (b *books) day(r *rapid.T) {
	list := slices.DeleteFunc(b.chain.gone(), func(tx *booksTx) bool { return tx.service || tx.hand })
	if len(list) == 0 {
		r.Skip("nothing is missing")
	}
	for _, tx := range list {
		tx.place++
	}
	_, err := b.base.store.Pool().Exec(b.t.Context(),
		"UPDATE received_payments SET vanished_at = vanished_at - interval '25 hours' WHERE wallet_id = $1 AND vanished_at IS NOT NULL", b.wallet)
	require.NoError(r, err)
}

// pick draws one of a list, by its place there.
func pick[T any](r *rapid.T, list []T, label string) T {
	return list[rapid.IntRange(0, len(list)-1).Draw(r, label)]
}
