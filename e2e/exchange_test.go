package e2e

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// tickers are answers in the shape of https://api.kraken.com/0/public/Ticker,
// by the pair that is asked for.
func tickers() map[string]string {
	return map[string]string{
		"XMRUSD": `{"error":[],"result":{"XXMRZUSD":{"a":["150.01","1","1.000"],"b":["149.99","1","1.000"],"c":["150.00","0.5"],"v":["1","2"],"p":["150","150"],"t":[1,2],"l":["145.00","144.00"],"h":["155.00","156.00"],"o":"148.00"}}}`,
		"XMREUR": `{"error":[],"result":{"XXMRZEUR":{"a":["140.01","1","1.000"],"b":["139.99","1","1.000"],"c":["140.00","0.5"],"v":["1","2"],"p":["140","140"],"t":[1,2],"l":["135.00","134.00"],"h":["145.00","146.00"],"o":"138.00"}}}`,
	}
}

// exchange stands for the internet service that tells the price; it can fail.
type exchange struct {
	url  string
	down atomic.Bool
}

func openExchange() (*exchange, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &exchange{url: "http://" + listener.Addr().String()}
	go func() { _ = http.Serve(listener, e) }() // of this test process only
	return e, nil
}

// ServeHTTP answers with the price of a pair, or 503 when down.
func (e *exchange) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	ticker, listed := tickers()[req.URL.Query().Get("pair")]
	if e.down.Load() || !listed {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, ticker)
}
