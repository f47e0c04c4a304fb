package regtest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// MaxOutputs is how many outputs one payment can have in addition to its change.
const MaxOutputs = 15

// Customer is a funded wallet behind monero-wallet-rpc.
type Customer struct {
	url    string
	wallet *monero.Wallet
	mu     sync.Mutex // a build and its relay belong together
}

// NewCustomer uses the wallet at a URL.
func NewCustomer(url string) *Customer {
	return &Customer{url: url, wallet: monero.NewWallet(monero.Endpoint{URL: url}, patient())}
}

// Output pays an amount to an address.
type Output struct {
	Address string
	Amount  money.Piconero
}

// Sent is a transaction that was sent.
type Sent struct {
	Hash string `json:"tx_hash"`
	// Blob is the transaction itself (hex).
	Blob string `json:"tx_blob"`
}

// Address is the wallet's own primary address.
func (c *Customer) Address(ctx context.Context) (string, error) {
	address, found, err := c.wallet.AddressAt(ctx, 0)
	if err == nil && !found {
		err = errors.New("the customer wallet has no address")
	}
	return address, err
}

// Pay sends one transaction with these outputs. An address may occur more
// than once: it then gets as many outputs.
func (c *Customer) Pay(ctx context.Context, outputs ...Output) (Sent, error) {
	return c.PayLocked(ctx, 0, outputs...)
}

// PayLocked is Pay with outputs that cannot be spent before the chain has a
// number of blocks.
func (c *Customer) PayLocked(ctx context.Context, untilHeight uint64, outputs ...Output) (Sent, error) {
	if len(outputs) > MaxOutputs {
		return Sent{}, fmt.Errorf("%d outputs are more than one payment can have", len(outputs))
	}
	return c.transfer(ctx, map[string]any{"destinations": destinationsOf(outputs), "unlock_time": untilHeight})
}

// Sign makes one transaction with these outputs and keeps it: it can be sent to any
// daemon, at any time. The customer spends its inputs in no other transaction.
func (c *Customer) Sign(ctx context.Context, outputs ...Output) (Sent, error) {
	sent, err := c.transfer(ctx, map[string]any{"destinations": destinationsOf(outputs), "do_not_relay": true})
	if err != nil {
		return Sent{}, err
	}
	images, err := monero.KeyImages(sent.Blob)
	for _, image := range images {
		err = errors.Join(err, c.wallet.Freeze(ctx, image))
	}
	return sent, err
}

func destinationsOf(outputs []Output) []map[string]any {
	list := make([]map[string]any, len(outputs))
	for i, o := range outputs {
		list[i] = map[string]any{"address": o.Address, "amount": uint64(o.Amount)}
	}
	return list
}

func (c *Customer) transfer(ctx context.Context, params map[string]any) (Sent, error) {
	params["account_index"], params["get_tx_hex"] = 0, true
	c.mu.Lock()
	defer c.mu.Unlock()
	// Outputs that a reorg has removed cannot be spent, and the wallet's connection to
	// a killed daemon is dead.
	if err := untilDone(ctx, c.catchUp); err != nil {
		return Sent{}, fmt.Errorf("pay: %w", err)
	}
	var sent Sent
	if err := rpc(ctx, c.url, "transfer", params, &sent); err != nil {
		return Sent{}, fmt.Errorf("pay: %w", err)
	}
	return sent, nil
}

func (c *Customer) catchUp(ctx context.Context) error {
	_, err := c.wallet.Refresh(ctx)
	return err
}

// Account is an address of the customer's wallet that no other payer uses: it
// stands for a person's own wallet.
type Account struct {
	Address  string
	index    uint32
	customer *Customer
}

// NewAccount makes an address.
func (c *Customer) NewAccount(ctx context.Context) (Account, error) {
	made, err := c.wallet.CreateAddresses(ctx, 1)
	if err != nil {
		return Account{}, err
	}
	return Account{Address: made[0].Address, index: made[0].Index, customer: c}, nil
}

// Receipt is what one transaction paid to an account.
type Receipt struct {
	TxHash string
	Amount money.Piconero
}

// Receipts are what the chain and the pool show of the account.
func (a Account) Receipts(ctx context.Context) ([]Receipt, error) {
	all, err := a.customer.Receipts(ctx)
	return all.Of(a), err
}

// Receipts are what the chain and the pool show of every account of a wallet.
type Receipts map[uint32][]Receipt

// Of are those of one account.
func (r Receipts) Of(a Account) []Receipt { return r[a.index] }

// Receipts asks for everything that was received, at once.
func (c *Customer) Receipts(ctx context.Context) (Receipts, error) {
	if _, err := c.wallet.Refresh(ctx); err != nil {
		return nil, err
	}
	transfers, err := c.wallet.Transfers(ctx, monero.Range{To: monero.NoEnd, Pool: true})
	if err != nil {
		return nil, err
	}
	all := Receipts{}
	for _, t := range transfers {
		all[t.SubaddressIndex] = append(all[t.SubaddressIndex], Receipt{TxHash: t.TxHash, Amount: t.Amount})
	}
	return all, nil
}
