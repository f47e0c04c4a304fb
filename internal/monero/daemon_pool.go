package monero

import "context"

// PoolSpends returns the hashes of the transactions in the pool that spend the
// outputs with these key images (64 hex digits), each hash once. It reads the
// whole pool, so callers pass only key images that KeyImages reports as
// SpentInPool.
func (d *Daemon) PoolSpends(ctx context.Context, images []string) ([]string, error) {
	var out struct {
		daemonStatus
		Spent []struct {
			Image  string   `json:"id_hash"`
			Hashes []string `json:"txs_hashes"`
		} `json:"spent_key_images"`
	}
	if err := d.path(ctx, call{method: "get_transaction_pool", params: struct{}{}, safe: true, long: true}, &out); err != nil {
		return nil, err
	}
	wanted, listed := map[string]bool{}, map[string]bool{}
	for _, image := range images {
		wanted[image] = true
	}
	var hashes []string
	for _, s := range out.Spent {
		for _, hash := range s.Hashes {
			if wanted[s.Image] && !listed[hash] {
				hashes, listed[hash] = append(hashes, hash), true
			}
		}
	}
	return hashes, nil
}
