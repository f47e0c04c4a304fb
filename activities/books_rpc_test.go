package activities_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
)

// booksCall is a request to either process.
type booksCall struct {
	Method string   `json:"method"`
	Hashes []string `json:"txs_hashes"`
	Images []string `json:"key_images"`
	Blob   string   `json:"tx_as_hex"`
	Params struct {
		Height       int     `json:"height"`
		MinHeight    int     `json:"min_height"`
		Image        string  `json:"key_image"`
		Indices      []int32 `json:"subaddr_indices"`
		Address      string  `json:"address"`
		AddressIndex []int32 `json:"address_index"`
		Count        int32   `json:"count"`
		Destinations []struct {
			Address string `json:"address"`
			Amount  uint64 `json:"amount"`
		} `json:"destinations"`
	} `json:"params"`
}

func (c *booksChain) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var in booksCall
	if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var answer map[string]any
	if req.URL.Path == "/json_rpc" {
		answer = map[string]any{"jsonrpc": "2.0", "id": "0"}
		if result, code, text := c.call(in); code != 0 {
			answer["error"] = map[string]any{"code": code, "message": text}
		} else {
			answer["result"] = result
		}
	} else {
		answer = c.daemon(strings.TrimPrefix(req.URL.Path, "/"), in)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// daemon answers the methods that have a path of their own.
func (c *booksChain) daemon(method string, in booksCall) map[string]any {
	answer := map[string]any{"status": "OK"}
	switch method {
	case "get_transactions":
		txs := []any{}
		for _, hash := range in.Hashes {
			if height, mined := c.at[hash]; mined || c.pool[hash] {
				blob := c.txs[hash].blob
				txs = append(txs, map[string]any{"tx_hash": hash, "in_pool": !mined, "block_height": height, "as_hex": blob, "pruned_as_hex": blob})
			}
		}
		answer["txs"] = txs
	case "is_key_image_spent":
		states := make([]int, len(in.Images))
		for i, image := range in.Images {
			if c.spent[image] != "" {
				states[i] = int(monero.SpentInChain)
				continue
			}
			for hash := range c.pool {
				if slices.Contains(c.txs[hash].inputs, image) {
					states[i] = int(monero.SpentInPool)
				}
			}
		}
		answer["spent_status"] = states
	case "get_transaction_pool":
		spends := []any{}
		for _, hash := range c.order {
			for _, image := range c.txs[hash].inputs {
				if c.pool[hash] {
					spends = append(spends, map[string]any{"id_hash": image, "txs_hashes": []string{hash}})
				}
			}
		}
		answer["spent_key_images"] = spends
	case "send_raw_transaction":
		if tx := c.txs[in.Blob[max(0, len(in.Blob)-64):]]; !c.offer(tx) {
			answer["status"] = "Failed"
		}
	}
	return answer
}

// call answers JSON-RPC; a code other than 0 means an error.
func (c *booksChain) call(in booksCall) (result map[string]any, code int, text string) {
	result = map[string]any{"status": "OK"}
	top := len(c.blocks) - 1
	switch in.Method {
	case "get_info":
		result["height"], result["top_block_hash"], result["synchronized"], result["nettype"] = top+1, c.blocks[top], true, "mainnet"
	case "get_height":
		result["height"] = top + 1
	case "get_block_header_by_height":
		if in.Params.Height > top {
			return nil, -2, "too big height"
		}
		result["block_header"] = map[string]any{"height": in.Params.Height, "hash": c.blocks[in.Params.Height]}
	case "get_fee_estimate":
		result["fee"] = booksPerByte
	case "get_address":
		if in.Params.AddressIndex[0] >= c.made {
			return nil, -15, "address index is out of bound"
		}
		result["addresses"] = []any{map[string]any{"address": "a"}}
	case "create_address":
		result["addresses"], result["address_indices"] = make([]string, in.Params.Count), indicesFrom(c.made, in.Params.Count)
		c.made += in.Params.Count
	case "rescan_blockchain":
		c.rescan()
	case "get_transfers":
		result["out"] = c.sent(in.Params.MinHeight)
	case "incoming_transfers":
		result["transfers"] = c.outputs(in.Params.Indices)
	case "freeze", "thaw":
		c.frozen[in.Params.Image] = in.Method == "freeze"
	case "sweep_all":
		return c.sweep(in.Params.Indices, in.Params.Address)
	case "transfer":
		return c.transfer(in)
	}
	return result, 0, ""
}

func indicesFrom(first, count int32) (list []int32) {
	for i := range count {
		list = append(list, first+i)
	}
	return list
}

// sent returns the transfers of the wallet in blocks above a height.
func (c *booksChain) sent(above int) (list []any) {
	for _, hash := range c.order {
		tx := c.txs[hash]
		if height, mined := c.at[hash]; mined && c.ours(hash) && height > above {
			list = append(list, map[string]any{"txid": hash, "height": height, "amount": uint64(tx.paid()), "fee": uint64(tx.fee)})
		}
	}
	return list
}

// booksReceiver finds the payments to addresses that the database knows.
type booksReceiver struct {
	*xmrwallet.Network

	chain   *booksChain
	store   *postgres.Store
	deriver *monero.Deriver
}

func (b booksReceiver) Scan(ctx context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	highest, err := b.store.HighestMadeAddress(ctx, b.chain.name)
	b.chain.mu.Lock()
	defer b.chain.mu.Unlock()
	var list []chain.Received
	for _, hash := range b.chain.order {
		tx := b.chain.txs[hash]
		height, mined := b.chain.at[hash]
		if !b.chain.pool[hash] && (!mined || uint64(height) < from || uint64(height) > to) {
			continue
		}
		for _, o := range tx.outs {
			if o.to == "" && o.index != 0 && int64(o.index) <= highest {
				list = append(list, chain.Received{
					TxHash: hash, Address: b.deriver.Subaddress(0, uint32(o.index)), WalletID: b.chain.name, Ref: strconv.Itoa(int(o.index)), Amount: uint64(o.amount), Outputs: 1, Height: uint64(height),
					UnlockHeight: uint64(tx.unlock), SpendableAfter: booksFinal, Seen: start,
				})
			}
		}
	}
	return list, to, err
}

func (booksReceiver) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }

// ours reports whether a transaction spends an output of the wallet.
func (c *booksChain) ours(hash string) bool {
	return slices.ContainsFunc(c.txs[hash].inputs, func(image string) bool {
		o, ok := c.origin[image]
		return ok && !c.unread[o.tx]
	})
}

// paid is the amount that a transaction pays to addresses outside of the wallet.
func (tx *booksTx) paid() (sum money.Piconero) {
	for _, o := range tx.outs {
		if o.to != "" {
			sum += o.amount
		}
	}
	return sum
}

func (c *booksChain) outputs(indices []int32) []any {
	list := []any{}
	for _, hash := range c.order {
		height, mined := c.at[hash]
		for i, o := range c.txs[hash].outs {
			if !mined || c.unread[hash] || o.to != "" || indices != nil && !slices.Contains(indices, o.index) {
				continue
			}
			image := c.image(hash, i)
			list = append(list, map[string]any{
				"tx_hash": hash, "key_image": image, "amount": uint64(o.amount), "block_height": height, "spent": c.spent[image] != "",
				"unlocked": c.ripe(hash), "frozen": c.frozen[image], "subaddr_index": map[string]any{"minor": o.index},
			})
		}
	}
	return list
}

// free are the outputs that the wallet may spend on subaddresses, in the order in which it does.
func (c *booksChain) free(indices []int32) (images []string) {
	for _, image := range c.unspent() {
		if o := c.origin[image]; !c.frozen[image] && slices.Contains(indices, o.index) && o.amount > booksPerByte*booksPerInput {
			images = append(images, image)
		}
	}
	slices.SortStableFunc(images, func(a, b string) int {
		if c.smallest {
			a, b = b, a
		}
		return cmp.Compare(c.origin[b].amount, c.origin[a].amount)
	})
	return images
}

func weigh(inputs, outputs int) (weight int, fee money.Piconero) {
	weight = booksPerInput*inputs + booksPerOutput*outputs
	return weight, money.Piconero(weight * booksPerByte)
}

func (c *booksChain) sweep(indices []int32, address string) (result map[string]any, code int, text string) {
	images := c.free(indices)
	if len(images) == 0 {
		return nil, -37, "no unlocked balance in the specified subaddress(es)"
	}
	weight, fee := weigh(len(images), 2)
	var sum money.Piconero
	for _, image := range images {
		sum += c.origin[image].amount
	}
	if sum <= fee {
		return nil, -17, "not enough money"
	}
	tx := c.add(booksTx{inputs: images, outs: []booksOut{{to: address, amount: sum - fee}}, fee: fee, service: true})
	return map[string]any{
		"tx_hash_list": []string{tx.hash}, "tx_blob_list": []string{tx.blob}, "tx_key_list": []string{"key"},
		"fee_list": []uint64{uint64(fee)}, "amount_list": []uint64{uint64(sum - fee)}, "weight_list": []int{weight},
	}, 0, ""
}

func (c *booksChain) transfer(in booksCall) (result map[string]any, code int, text string) {
	tx := booksTx{service: true}
	var paid, sum money.Piconero
	for _, d := range in.Params.Destinations {
		tx.outs = append(tx.outs, booksOut{to: d.Address, amount: money.Piconero(d.Amount)})
		paid += money.Piconero(d.Amount)
	}
	images := c.free(in.Params.Indices)
	weight, fee := 0, money.Piconero(0)
	for len(tx.inputs) == 0 || sum < paid+fee {
		if len(images) == 0 {
			return nil, -17, "not enough money"
		}
		tx.inputs, sum, images = append(tx.inputs, images[0]), sum+c.origin[images[0]].amount, images[1:]
		weight, fee = weigh(len(tx.inputs), len(tx.outs)+1)
	}
	tx.fee, tx.outs = fee, append(tx.outs, booksOut{amount: sum - paid - fee})
	made := c.add(tx)
	return map[string]any{
		"tx_hash": made.hash, "tx_blob": made.blob, "tx_key": "key", "fee": uint64(fee), "amount": uint64(paid), "weight": weight,
	}, 0, ""
}
