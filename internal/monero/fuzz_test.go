package monero

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/money"
)

// FuzzAddressBody: an address with a right checksum is either refused or
// written as it was. The fuzzer would not find a checksum by itself.
func FuzzAddressBody(f *testing.F) {
	a, err := ParseAddress("48DCHZHFQ2vd1VWZMzvbymBKcPUXYv9vwcgJY7fwe9ouPeuJuXuHKZjd5G5DaqbaHNRzek3wtCvrGM79AcCQF5QGG3FaS4u")
	require.NoError(f, err)
	body := append(append([]byte{18}, a.Spend[:]...), a.View[:]...)
	f.Add(body)
	f.Add(append([]byte{19}, append(body[1:], 1, 2, 3, 4, 5, 6, 7, 8)...))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 100 {
			return
		}
		text := base58Encode(append(body, addressChecksum(body)...))
		a, err := ParseAddress(text)
		if err != nil {
			require.ErrorIs(t, err, ErrAddress)
			return
		}
		require.Equal(t, text, a.String())
	})
}

// said is a process that gives the same answer to every call.
type said string

func (s said) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(s)))}, nil
}

// answering returns a client of a process that gives the same answer to every
// call.
func answering(answer string, m meanings) *client {
	return newClientOver(&http.Client{Transport: said(answer)}, Endpoint{URL: "http://process"}, Options{}, m, false)
}

// FuzzWalletAnswers: an answer is understood as a whole or refused as a whole.
// There is no transfer without its transaction and amount, and no error without
// a name.
func FuzzWalletAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"id":"0","jsonrpc":"2.0","result":{"in":[{"address":"8","amount":1000000000000,"amounts":[1000000000000],"confirmations":3,"double_spend_seen":false,"fee":30700000,"height":120,"locked":true,"payment_id":"0000000000000000","subaddr_index":{"major":0,"minor":7},"timestamp":1790000000,"txid":"c3d224630a6f59856302e592d329953df0b2a057693906976e5019df6347320d","type":"in","unlock_time":0}],"pool":[]}}`,
		`{"id":"0","jsonrpc":"2.0","result":{"transfers":[{"amount":1,"block_height":2,"frozen":false,"global_index":3,"key_image":"","spent":false,"subaddr_index":{"major":0,"minor":1},"tx_hash":"ab","unlocked":true}]}}`,
		`{"id":"0","jsonrpc":"2.0","result":{"addresses":[{"address":"8","address_index":1,"label":"","used":false}],"address":"8","address_index":1}}`,
		`{"id":"0","jsonrpc":"2.0","error":{"code":-38,"message":"no connection to daemon"}}`, `{"id":"0","jsonrpc":"2.0","result":{"height":12}}`,
		`{"result":{"in":[{"amount":-1}]}}`, `{"result":{"in":[{"amount":1e19}]}}`, `{"result":null}`, `{"error":{}}`, `{}`, `[]`, ``, `null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		w := &Wallet{client: answering(answer, walletMeaning)}
		if transfers, err := w.Transfers(t.Context(), Range{To: NoEnd, Pool: true}); err == nil {
			require.Regexp(t, `(?is)"result"\s*:\s*\{`, answer, "no transfers is an answer, no answer is not")
			requireWholeTransfers(t, transfers, answer)
		} else {
			requireNamed(t, err, answer)
		}
		if _, err := w.IncomingTransfers(t.Context(), []uint32{1}); err != nil {
			requireNamed(t, err, answer)
		}
		if _, err := w.Height(t.Context()); err != nil {
			requireNamed(t, err, answer)
		}
	})
}

// requireWholeTransfers requires that each transfer has its transaction, and counts no more
// than its outputs have. Else a payment that does not exist would be counted.
func requireWholeTransfers(t *testing.T, transfers []Transfer, answer string) {
	t.Helper()
	for _, tr := range transfers {
		require.Len(t, tr.TxHash, 64, answer)
		sum, err := money.Sum(tr.Amounts...)
		require.NoError(t, err, answer)
		require.True(t, len(tr.Amounts) == 0 || sum >= tr.Amount, answer)
	}
}

// requireNamed requires an error that the callers of this package can
// distinguish.
func requireNamed(t *testing.T, err error, answer string) {
	t.Helper()
	if _, ok := errors.AsType[*jsonrpc.MethodError](err); ok {
		return
	}
	require.True(t, errors.Is(err, ErrResponse) || errors.Is(err, ErrUnavailable), "%v: %s", err, answer)
}

// FuzzDaemonAnswers: the daemon returns states for the requested hashes, in
// their order, and only states that a daemon has.
func FuzzDaemonAnswers(f *testing.F) {
	for _, seed := range []string{
		`{"status":"OK","txs":[{"tx_hash":"aa","in_pool":false,"block_height":12,"double_spend_seen":false}],"missed_tx":["bb"]}`,
		`{"status":"OK","spent_status":[0,2]}`, `{"status":"BUSY"}`, `{"status":"Failed","spent_status":[0,3]}`,
		`{"jsonrpc":"2.0","result":{"status":"OK","height":12,"target_height":0,"top_block_hash":"aa","nettype":"fakechain"}}`,
		`{"status":"OK","spent_status":[0]}`, `{"status":"OK","spent_status":[1e3,0]}`, `{"status":"OK","txs":[{"tx_hash":"aa","in_pool":true}]}`, `{}`, ``,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		d := &Daemon{client: answering(answer, daemonMeaning)}
		if known, err := d.Transactions(t.Context(), []string{"aa", "bb"}); err == nil {
			require.Len(t, known, 2, answer)
			require.Equal(t, "aa", known[0].Hash)
			require.Equal(t, "bb", known[1].Hash)
		} else {
			requireNamed(t, err, answer)
		}
		if spent, err := d.KeyImages(t.Context(), []string{"aa", "bb"}); err == nil {
			require.Len(t, spent, 2, answer)
			for _, s := range spent {
				require.LessOrEqual(t, s, SpentInPool, answer)
			}
		} else {
			requireNamed(t, err, answer)
		}
	})
}
