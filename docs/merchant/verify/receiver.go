// Command receiver takes Durapay's webhooks: it checks the signature and the
// age of each event, refuses the sandbox, and handles each once. Run it with
// WEBHOOK_SECRET=… PORT=8000 go run receiver.go, and with SANDBOX=1 to try
// things out.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"time"
)

const (
	maxAge  = 5 * time.Minute
	maxBody = 1 << 20
)

type event struct {
	Event     string    `json:"event"`
	Timestamp time.Time `json:"timestamp"`
	Data      struct {
		ID      string `json:"id"`
		Sandbox bool   `json:"sandbox"`
	} `json:"data"`
}

// verify returns the event when the body is signed with the secret, not older
// than five minutes and not of the sandbox. It must get the bytes as they came: a body that was
// decoded and encoded again has another signature.
func verify(secret, signature string, body []byte, now time.Time) (event, error) {
	mac := hmac.New(sha256.New, []byte(secret)) // the text of the secret, not its bytes
	mac.Write(body)
	want := hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(want), []byte(signature)) { // in constant time
		return event{}, errors.New("wrong signature")
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		return event{}, err
	}
	if age := now.Sub(e.Timestamp); age > maxAge || age < -maxAge {
		return event{}, errors.New("too old")
	}
	if e.Data.Sandbox && os.Getenv("SANDBOX") != "1" {
		return event{}, errors.New("sandbox: nobody has paid")
	}
	return e, nil
}

// handled records the events that were handled. In production use a table of your database
// with a unique key, and write to it in the transaction that ships the goods.
type handled struct {
	mu   sync.Mutex
	seen map[string]bool
}

// first reports whether the event has not been seen before.
func (h *handled) first(e event) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := e.Data.ID + " " + e.Event
	if h.seen[key] {
		return false
	}
	h.seen[key] = true
	return true
}

func main() {
	secret := os.Getenv("WEBHOOK_SECRET")
	done := &handled{seen: map[string]bool{}}
	receive := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			http.Error(w, "unreadable", http.StatusBadRequest)
			return
		}
		e, err := verify(secret, r.Header.Get("X-Merchant-Signature"), body, time.Now())
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if done.first(e) {
			log.Printf("%s %s", e.Event, e.Data.ID) // ship the goods here
		}
		w.WriteHeader(http.StatusOK) // for a repeated event too, or it comes again
	}
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	server := &http.Server{
		Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: http.HandlerFunc(receive), ReadHeaderTimeout: maxAge,
	}
	log.Fatal(server.ListenAndServe())
}
