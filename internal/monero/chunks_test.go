package monero

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// restricted returns a daemon that refuses requests of the same size as a
// restricted daemon, and records its largest requests.
func restricted(t *testing.T) (d *Daemon, largestImages, largestTxs *int) {
	t.Helper()
	largestImages, largestTxs = new(int), new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Images []string `json:"key_images"`
			Hashes []string `json:"txs_hashes"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		*largestImages, *largestTxs = max(*largestImages, len(in.Images)), max(*largestTxs, len(in.Hashes))
		switch {
		case len(in.Images) > 5000 || len(in.Hashes) > 100:
			_, _ = fmt.Fprint(w, `{"status":"Too many in restricted mode"}`)
		case len(in.Images) > 0:
			states := make([]string, len(in.Images))
			for i, image := range in.Images {
				states[i] = image[len(image)-1:] // its last digit
			}
			_, _ = fmt.Fprintf(w, `{"status":"OK","spent_status":[%s]}`, strings.Join(states, ","))
		default:
			_, _ = fmt.Fprint(w, `{"status":"OK","txs":[]}`)
		}
	}))
	t.Cleanup(server.Close)
	return NewDaemon(Endpoint{URL: server.URL}, Options{}), largestImages, largestTxs
}

// TestAnyNumberOfKeyImagesCanBeAskedFor checks that the chunks keep the order of
// the key images.
func TestAnyNumberOfKeyImagesCanBeAskedFor(t *testing.T) {
	t.Parallel()
	d, largest, _ := restricted(t)
	for _, n := range []int{0, 1, 999, 1000, 1001, 5001} {
		images := make([]string, n)
		for i := range images {
			images[i] = fmt.Sprintf("%063x%d", i, i%3)
		}
		spent, err := d.KeyImages(t.Context(), images)
		require.NoError(t, err, n)
		require.Len(t, spent, n)
		for i, s := range spent {
			require.Equal(t, SpentStatus(i%3), s)
		}
	}
	require.Equal(t, 1000, *largest)
}

func TestAnyNumberOfTransactionsCanBeAskedFor(t *testing.T) {
	t.Parallel()
	d, _, largest := restricted(t)
	hashes := make([]string, 1001)
	for i := range hashes {
		hashes[i] = fmt.Sprintf("%064x", i)
	}
	states, err := d.Transactions(t.Context(), hashes)
	require.NoError(t, err)
	require.Len(t, states, len(hashes))
	require.Equal(t, 100, *largest)
}

// TestTransfersAreListedByRange checks the parameters that the wallet gets.
func TestTransfersAreListedByRange(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Range{
		`{"account_index":0,"filter_by_height":true,"in":true,"max_height":20,"min_height":9,"pool":true}`:         {From: 10, To: 20, Pool: true},
		`{"account_index":0,"filter_by_height":true,"in":true,"max_height":0,"min_height":0,"pool":false}`:         {},
		`{"account_index":0,"filter_by_height":true,"in":true,"max_height":500000000,"min_height":0,"pool":false}`: {From: 1, To: NoEnd},
		`{"account_index":0,"in":false,"pool":true}`:                                                               {From: 21, To: 20, Pool: true},
	} {
		var asked json.RawMessage
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct {
				Params json.RawMessage `json:"params"`
			}
			_ = json.NewDecoder(r.Body).Decode(&in)
			asked = in.Params
			_, _ = fmt.Fprint(w, `{"result":{}}`)
		}))
		_, err := NewWallet(Endpoint{URL: server.URL}, Options{}).Transfers(t.Context(), r)
		server.Close()
		require.NoError(t, err)
		require.JSONEq(t, want, string(asked))
	}
}
