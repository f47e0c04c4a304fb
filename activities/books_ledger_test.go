package activities_test

import (
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
)

// ledger is what each shop must be owed. It knows the chain and the events around the service, and does not
// read the database: payments of customers, payments that a payout took, used and released, grants of refunds,
// and what the chain holds of all this. Nothing is rounded here but the operator's share, which is rounded down
// to a piconero.
type ledger struct {
	chain    *booksChain
	shops    map[string]*ledgerShop
	charges  map[string]*ledgerCharge
	payments map[string]*ledgerPayment // by transaction
	payouts  map[string]*ledgerPayout
	grants   map[string]*ledgerGrant // by address
	faults   []string
}

type ledgerShop struct {
	address  string
	required int
	rate     money.Decimal
}

type ledgerCharge struct {
	shop        string
	asked, most money.Piconero // most is the most that was ever received
	payout      string         // the one that took money of it, while that lasts

	confirmed, backed bool
}

type ledgerPayment struct {
	charge string // empty if a restored database does not know it
	amount money.Piconero
	payout string // the one that has taken it
	lost   bool   // it was found to be spent by another transaction
}

type ledgerPayout struct {
	shop    string
	settles []string // the payments that it pays out
	tx      string   // its transaction, once there is one
	block   int      // where that was found deep enough; 0 before
	ended   bool
	// forgotten is set if a restored database does not know the refund that it paid, and counts it as paid to
	// the shop.
	forgotten bool
}

type ledgerGrant struct {
	charge string
	amount money.Piconero
}

// statement is the state of a shop's books. Paid, refunded and fees count confirmed payouts.
type statement struct{ owed, held, paid, refunded, fees, chainFees money.Piconero }

func newLedger(c *booksChain) *ledger {
	return &ledger{c, map[string]*ledgerShop{}, map[string]*ledgerCharge{}, map[string]*ledgerPayment{}, map[string]*ledgerPayout{}, map[string]*ledgerGrant{}, nil}
}

func (l *ledger) faultf(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// mature reports whether a payment counts: it is deep enough for its shop, and not locked by its payer.
func (l *ledger) mature(hash string) bool {
	if l.payments[hash].charge == "" {
		return false
	}
	required := l.shops[l.charges[l.payments[hash].charge].shop].required
	return l.chain.depth(hash) >= required && l.chain.txs[hash].unlock <= len(l.chain.blocks)
}

// look updates the charges from the chain, as far as the service has seen it.
func (l *ledger) look() {
	mined, mature := map[string]money.Piconero{}, map[string]money.Piconero{}
	for hash, p := range l.payments {
		if l.chain.depth(hash) > 0 {
			mined[p.charge] += p.amount
		}
		if l.mature(hash) {
			mature[p.charge] += p.amount
		}
	}
	for id, c := range l.charges {
		c.most = max(c.most, mature[id])
		c.confirmed = c.confirmed || mature[id] >= c.asked
		c.backed = c.payout != "" || mined[id] >= c.asked
	}
}

// isOwed reports whether a payment is in the balance of its shop.
func (l *ledger) isOwed(hash string) bool {
	p := l.payments[hash]
	c := l.charges[p.charge]
	return c != nil && p.payout == "" && !p.lost && c.confirmed && c.backed && l.mature(hash)
}

// take notes that a payout has reserved payments.
func (l *ledger) take(id, shop string, hashes []string) {
	for _, hash := range hashes {
		if !l.isOwed(hash) || l.chain.depth(hash) < booksFinal {
			l.faultf("a payout took a payment that is not to be had: %+v", *l.payments[hash])
		}
		l.hold(id, hash)
	}
	l.payouts[id] = &ledgerPayout{shop: shop, settles: hashes}
}

func (l *ledger) hold(id, hash string) {
	p := l.payments[hash]
	p.payout = id
	if c := l.charges[p.charge]; c != nil && c.payout == "" {
		c.payout = id
	}
}

func (l *ledger) free(id string) {
	for _, hash := range l.payouts[id].settles {
		p := l.payments[hash]
		p.payout = ""
		if c := l.charges[p.charge]; c != nil && c.payout == id {
			c.payout = ""
		}
	}
}

// try notes that a build has read the outputs of a payout: the service then sees which of them other
// transactions have spent.
func (l *ledger) try(id string) {
	for _, hash := range l.payouts[id].settles {
		l.payments[hash].lost = l.payments[hash].lost || l.chain.spentElsewhere(hash)
	}
}

// store notes the transaction of a payout, and the payments that it kept.
func (l *ledger) store(id, tx string, kept []string) {
	p, took := l.payouts[id], l.payouts[id].settles
	l.free(id)
	p.tx, p.settles = tx, kept
	for _, hash := range kept {
		l.hold(id, hash)
	}
	l.checkFee(p, took)
}

// end notes that a payout was given up. Its bytes may still be with the network.
func (l *ledger) end(id string) {
	l.payouts[id].ended = true
	l.free(id)
}

// confirm notes that a payout was found deep in the chain.
func (l *ledger) confirm(id string) {
	p := l.payouts[id]
	p.block = l.chain.at[p.tx]
	if l.chain.depth(p.tx) < booksFinal {
		l.faultf("a payout is confirmed at a depth of %d", l.chain.depth(p.tx))
	}
}

// shopOf returns the shop of a payment's charge, or of the payout that has taken it.
func (l *ledger) shopOf(p *ledgerPayment) string {
	if c := l.charges[p.charge]; c != nil {
		return c.shop
	}
	return l.payouts[p.payout].shop
}

// settled reports whether a payout was confirmed, and is still in the same block.
func (l *ledger) settled(p *ledgerPayout) bool {
	height, mined := l.chain.at[p.tx]
	return p.block > 0 && mined && height == p.block
}

// sums returns the amounts of a payout's transaction: in total, to the shop, to buyers and to miners.
func (l *ledger) sums(p *ledgerPayout) (gross, paid, refunded, chainFee money.Piconero) {
	for _, hash := range p.settles {
		gross += l.payments[hash].amount
	}
	tx := l.chain.txs[p.tx]
	for _, o := range tx.outs {
		switch {
		case o.to == l.shops[p.shop].address, o.to != "" && p.forgotten:
			paid += o.amount
		case o.to != "":
			refunded += o.amount
		}
	}
	return gross, paid, refunded, tx.fee
}

// checkFee requires the operator's share of everything that a payout settles, less the cost of an input: a
// wallet may need one more than when the payout was measured. A payout has no operator's share if an earlier
// transaction spends some of its payments, because it must spend all of them.
func (l *ledger) checkFee(p *ledgerPayout, took []string) {
	gross, paid, refunded, chainFee := l.sums(p)
	remaining := gross.SubFloor(paid).SubFloor(refunded).SubFloor(chainFee)
	for _, other := range l.payouts {
		if other.ended && other.tx != "" && slices.ContainsFunc(l.chain.txs[other.tx].inputs, func(image string) bool {
			return slices.Contains(took, l.chain.origin[image].tx)
		}) {
			return
		}
	}
	share, err := payout.Fee(gross, l.shops[p.shop].rate)
	if err != nil || remaining+booksPerByte*booksPerInput < share {
		l.faultf("a payout of %s leaves the operator %s, the share is %s", gross, remaining, share)
	}
}

// check compares the books of a shop with the truth. Money is in one place at a time: received = owed + held +
// paid + refunded + fees.
func (l *ledger) check(shop string, s statement) []string {
	var is statement
	var received money.Piconero
	for hash, p := range l.payments {
		switch {
		case p.payout == "" && !l.isOwed(hash) || l.shopOf(p) != shop:
		case p.payout != "":
			received += p.amount
			if !l.settled(l.payouts[p.payout]) {
				is.held += p.amount
			}
		default:
			received += p.amount
			is.owed += p.amount
		}
	}
	for _, p := range l.payouts {
		if p.shop == shop && !p.ended && l.settled(p) {
			gross, paid, refunded, chainFee := l.sums(p)
			is.paid, is.refunded, is.chainFees = is.paid+paid, is.refunded+refunded, is.chainFees+chainFee
			is.fees += gross - paid - refunded - chainFee
		}
	}
	if is != s {
		l.faultf("the books say %+v, and it is %+v", s, is)
	}
	if all := s.owed + s.held + is.paid + is.refunded + s.fees + is.chainFees; all != received {
		l.faultf("received %s, accounted for %s", received, all)
	}
	l.checkGrants()
	l.checkOnce()
	return l.faults
}

// out are the payouts whose bytes the network was given, and may have in a block, now or later.
func (l *ledger) out() (list []*ledgerPayout) {
	for _, p := range l.payouts {
		if p.tx != "" && l.chain.txs[p.tx].out && !l.chain.dead(l.chain.txs[p.tx]) {
			list = append(list, p)
		}
	}
	return list
}

// checkGrants requires that buyers never get more than a refund granted, nor more than its charge received, for
// every set of the broadcast transactions that blocks may come to hold.
func (l *ledger) checkGrants() {
	out := l.out()
	for address, g := range l.grants {
		if most := l.most(out, nil, func(to string) bool { return to == address }); most > g.amount {
			l.faultf("a refund of %s may be paid %s", g.amount, most)
		}
	}
	for id, c := range l.charges {
		of := func(to string) bool { g := l.grants[to]; return g != nil && g.charge == id }
		if most := l.most(out, nil, of); most > c.most {
			l.faultf("refunds of a charge that received %s may be paid %s", c.most, most)
		}
	}
}

// most is the most that transactions pay to addresses which can all be mined.
func (l *ledger) most(list []*ledgerPayout, mined []*ledgerPayout, to func(address string) bool) (sum money.Piconero) {
	for i, p := range list {
		pays := money.Piconero(0)
		for _, o := range l.chain.txs[p.tx].outs {
			if o.to != "" && to(o.to) {
				pays += o.amount
			}
		}
		if pays > 0 && !slices.ContainsFunc(mined, func(o *ledgerPayout) bool { return l.conflict(p, o) }) {
			sum = max(sum, pays+l.most(list[i+1:], append(mined, p), to))
		}
	}
	return sum
}

// conflict reports whether no chain holds both.
func (l *ledger) conflict(a, b *ledgerPayout) bool {
	return slices.ContainsFunc(l.chain.txs[a.tx].inputs, func(image string) bool { return slices.Contains(l.chain.txs[b.tx].inputs, image) })
}

// checkOnce wants that no payment is paid out by two transactions that could both be mined.
func (l *ledger) checkOnce() {
	out := l.out()
	for i, a := range out {
		for _, b := range out[i+1:] {
			twice := slices.ContainsFunc(a.settles, func(hash string) bool { return slices.Contains(b.settles, hash) })
			if twice && !l.conflict(a, b) {
				l.faultf("a payment is paid out by %s and by %s, and both can be mined", a.tx[:8], b.tx[:8])
			}
		}
	}
}
