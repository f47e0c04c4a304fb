package e2e

import (
	"encoding/json"
	"net"
	"net/http"
	"sync"
)

// elsewhere is a swap provider on the internet, in the shape of Exolix. It
// swaps nothing: it hands out a deposit address and says of its one swap what a
// test wants, so that what real ones do seldom can be seen.
type elsewhere struct {
	url string

	mu sync.Mutex
	// deposit is the address that it hands out; without one it has no offer.
	deposit string
	word    string
	hash    string
	order   elsewhereOrder
}

type elsewhereOrder struct {
	Amount json.Number `json:"amount"`
	Payee  string      `json:"withdrawalAddress"`
	Refund string      `json:"refundAddress"`
}

const elsewhereSwap = "exa8d2f5b31c0e"

func startElsewhere() (*elsewhere, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &elsewhere{url: "http://" + listener.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v2/rate", e.rate)
	mux.HandleFunc("POST /api/v2/transactions", e.create)
	mux.HandleFunc("GET /api/v2/transactions/"+elsewhereSwap, e.status)
	go func() { _ = http.Serve(listener, mux) }() // of this test process only
	return e, nil
}

// open lets it offer more than any other provider, for deposits to an address.
func (e *elsewhere) open(deposit string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.deposit, e.word, e.hash = deposit, "wait", ""
}

// say sets the word for the swap's state, and the transaction that it sent.
func (e *elsewhere) say(word, hash string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.word, e.hash = word, hash
}

func (e *elsewhere) taken() elsewhereOrder {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.order
}

// promised is what it would pay for whatever is sent.
const promised = 1000

func (e *elsewhere) rate(w http.ResponseWriter, _ *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.deposit == "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = w.Write([]byte(`{"message":"no rate"}`))
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"toAmount": promised, "minAmount": 0.01, "maxAmount": 100})
}

func (e *elsewhere) create(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if json.NewDecoder(r.Body).Decode(&e.order) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusCreated)
	e.show(w)
}

func (e *elsewhere) status(w http.ResponseWriter, _ *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.show(w)
}

func (e *elsewhere) show(w http.ResponseWriter) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": elsewhereSwap, "status": e.word, "amount": e.order.Amount, "amountTo": promised, "depositAddress": e.deposit,
		"depositExtraId": nil, "withdrawalAddress": e.order.Payee, "refundAddress": e.order.Refund,
		"hashIn": map[string]any{"hash": nil}, "hashOut": map[string]any{"hash": e.hash},
	})
}
