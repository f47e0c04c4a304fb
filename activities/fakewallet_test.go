package activities_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/durapay/durapay/internal/chain"
)

// fakeWallet is a wallet on a chain that the test moves by hand, so that it can
// die between any two steps. It keeps the promises of package chain: coins
// that are to be avoided are not spent, bytes that are relayed twice are one
// transaction. The real wallets are held to the same by chain.TestConformance.
type fakeWallet struct {
	mu        sync.Mutex
	tip       uint64
	addresses int
	coins     map[string]uint64 // free coins by name
	deposits  map[string]chain.Deposit
	fee       uint64
	builds    int
	// weighed is how often the balance was asked for.
	weighed int
	// weighErr is answered to it.
	weighErr error
	// relayed counts how often the bytes of a transaction came.
	relayed map[string]int
	built   map[string]chain.Built
	// asked are the payments that were built.
	asked []chain.Payment
	mined map[string]uint64
	// heights are the blocks of those, from when they were first asked for.
	heights map[string]uint64
	// buildErr and relayErr are answered once; with lost set, the effect
	// happens first, as when the answer is lost on its way.
	buildErr, relayErr error
	lost               bool
	// meanwhile happens once, while a transaction is being built.
	meanwhile func()
	// listed runs once, after deposits were listed; found runs once, after a question about
	// a transaction.
	listed, found func()
	// origins are the origins of transactions.
	origins map[string][]string
	// screened are the transactions whose origins were requested.
	screened []string
	// unreadable are transactions whose origins cannot be read.
	unreadable map[string]error
	// released are the transactions that the wallet has forgotten.
	released []string
	// inputs is the state of inputs that Find returns for an unknown transaction.
	inputs chain.InputState
}

func newFakeWallet(coins int, each uint64) *fakeWallet {
	p := &fakeWallet{
		tip: 100, coins: map[string]uint64{}, deposits: map[string]chain.Deposit{}, fee: 1000,
		origins: map[string][]string{}, relayed: map[string]int{}, built: map[string]chain.Built{}, mined: map[string]uint64{}, heights: map[string]uint64{},
	}
	for i := range coins {
		p.coins[fmt.Sprintf("coin %d", i)] = each
	}
	return p
}

func (p *fakeWallet) NewAddress(context.Context) (chain.Address, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.addresses++
	return chain.Address{Text: fmt.Sprintf("address %d of %p", p.addresses, p), Ref: fmt.Sprint(p.addresses)}, nil
}

// Balance counts no coin that is promised.
func (p *fakeWallet) Balance(_ context.Context, promised []string) (chain.Balance, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.weighed++; p.weighErr != nil {
		return chain.Balance{}, p.weighErr
	}
	var b chain.Balance
	for name, c := range p.coins {
		b.Total += c
		if !slices.Contains(promised, name) {
			b.Unlocked += c
		}
	}
	return b, nil
}

func (p *fakeWallet) Tip(context.Context) (chain.Tip, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return chain.Tip{Height: p.tip, Hash: fmt.Sprint("block ", p.tip)}, nil
}

func (p *fakeWallet) Fee(context.Context) (uint64, error) { return p.fee, nil }

// BlockHash names the blocks of a chain that never left anything.
func (p *fakeWallet) BlockHash(_ context.Context, height uint64) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if height > p.tip {
		return "", chain.ErrNotFound
	}
	return fmt.Sprint("block ", height), nil
}

// Scan lists all deposits, those that are gone as in the pool: a wallet may not
// have noticed.
func (p *fakeWallet) Scan(_ context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []chain.Received
	for _, d := range p.deposits {
		if d.Height != 0 && (d.Height < from || d.Height > to) {
			continue
		}
		r := chain.Received{TxHash: d.TxHash, Address: d.Address, Amount: d.Amount, Outputs: 1, Height: d.Height, Contested: d.Contested, Seen: d.Seen}
		if d.Locked {
			r.UnlockHeight = p.tip + 1000
		}
		all = append(all, r)
	}
	if listed := p.listed; listed != nil {
		p.listed = nil
		p.mu.Unlock()
		listed()
		p.mu.Lock()
	}
	return all, to, nil
}

// heightOf is the block of a transaction that is mined.
func (p *fakeWallet) heightOf(txHash string) uint64 {
	if p.heights[txHash] == 0 {
		p.heights[txHash] = p.tip - p.mined[txHash] + 1
	}
	return p.heights[txHash]
}

// Locate finds each deposit where it was put, and own transactions.
func (p *fakeWallet) Locate(_ context.Context, txHashes []string) ([]chain.Location, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]chain.Location, len(txHashes))
	for i, hash := range txHashes {
		switch {
		case p.mined[hash] > 0:
			list[i] = chain.Location{State: chain.Mined, Height: p.heightOf(hash)}
		case p.relayed[hash] > 0:
			list[i] = chain.Location{State: chain.InPool}
		}
		for _, d := range p.deposits {
			switch {
			case d.TxHash != hash || d.Missing:
			case d.Height > 0:
				list[i] = chain.Location{State: chain.Mined, Height: d.Height}
			default:
				list[i] = chain.Location{State: chain.InPool, Contested: d.Contested}
			}
		}
	}
	return list, nil
}

func (p *fakeWallet) Origins(_ context.Context, r chain.Received) ([]string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.screened = append(p.screened, r.TxHash)
	return p.origins[r.TxHash], p.unreadable[r.TxHash]
}

func (p *fakeWallet) Deposit(_ context.Context, txHash, address string) (chain.Deposit, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, ok := p.deposits[txHash+address]
	if !ok || d.Missing {
		return chain.Deposit{}, chain.ErrNotFound
	}
	return d, nil
}

// show puts a deposit on the chain as it is now.
func (p *fakeWallet) show(d chain.Deposit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tip++
	if d.Confirmations > 0 {
		d.Height = p.tip - d.Confirmations + 1
	}
	p.deposits[d.TxHash+d.Address] = d
}

func (p *fakeWallet) Build(_ context.Context, pay chain.Payment) (chain.Built, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	failure, meanwhile := p.buildErr, p.meanwhile
	p.buildErr, p.meanwhile = nil, nil
	if meanwhile != nil {
		p.mu.Unlock()
		meanwhile()
		p.mu.Lock()
	}
	if failure != nil {
		return chain.Built{}, failure
	}
	total, _ := pay.Total()
	payees := map[string]bool{}
	for _, d := range pay.Destinations() {
		if payees[strings.ToLower(d.Address)] { // as Litecoin's daemon does
			return chain.Built{}, errors.New("invalid parameter, duplicated address")
		}
		payees[strings.ToLower(d.Address)] = true
	}
	fee := uint64(0)
	if pay.SubtractFee {
		fee = p.fee
	}
	paid, ok := pay.Less(fee)
	if !ok {
		return chain.Built{}, chain.ErrTooSmall
	}
	avoid := map[string]bool{}
	for _, name := range pay.Avoid {
		avoid[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(p.coins)) {
		if avoid[name] || p.coins[name] < total+p.fee {
			continue
		}
		p.builds++
		b := chain.Built{
			TxHash: fmt.Sprintf("tx %d of %p", p.builds, p), Raw: []byte(pay.To), Paid: paid, Fee: p.fee,
			Inputs: []string{name}, Proof: "proof",
		}
		for _, amount := range paid {
			b.Amount += amount
		}
		p.built[b.TxHash] = b
		p.asked = append(p.asked, pay)
		return b, nil
	}
	return chain.Built{}, chain.ErrLocked
}

// MaxPayees is small, so that batches are full soon.
func (p *fakeWallet) MaxPayees() int { return 4 }

// Consolidate joins up to three free coins, the smallest first.
func (p *fakeWallet) Consolidate(_ context.Context, avoid []string, keep int) (chain.Built, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var free []string
	for _, name := range slices.Sorted(maps.Keys(p.coins)) {
		if !slices.Contains(avoid, name) {
			free = append(free, name)
		}
	}
	if len(free) <= keep {
		return chain.Built{}, chain.ErrNothing
	}
	slices.SortStableFunc(free, func(a, b string) int { return cmp.Compare(p.coins[a], p.coins[b]) })
	p.builds++
	b := chain.Built{TxHash: fmt.Sprintf("tx %d of %p", p.builds, p), Raw: []byte("own"), Fee: p.fee, Inputs: free[:3]}
	for _, name := range b.Inputs {
		b.Amount += p.coins[name]
	}
	b.Amount -= p.fee
	b.Paid = []uint64{b.Amount}
	p.built[b.TxHash] = b
	return b, nil
}

func (p *fakeWallet) Relay(_ context.Context, b chain.Built) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.relayErr
	if p.relayErr = nil; err != nil && !p.lost {
		return err
	}
	p.relayed[b.TxHash]++
	return err
}

func (p *fakeWallet) Find(_ context.Context, b chain.Built) (chain.Found, error) {
	p.mu.Lock()
	found := p.found
	p.found = nil
	defer func() {
		p.mu.Unlock()
		if found != nil {
			found()
		}
	}()
	switch {
	case p.mined[b.TxHash] > 0:
		return chain.Found{State: chain.Mined, Height: p.heightOf(b.TxHash), Confirmations: p.mined[b.TxHash]}, nil
	case p.relayed[b.TxHash] > 0:
		return chain.Found{State: chain.InPool}, nil
	default:
		return chain.Found{Inputs: p.inputs}, nil
	}
}

// Release records released transactions.
func (p *fakeWallet) Release(_ context.Context, b chain.Built) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = append(p.released, b.TxHash)
	return nil
}
