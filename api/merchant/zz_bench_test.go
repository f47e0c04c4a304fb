package merchant_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
)

func TestZZ(t *testing.T) {
	f, _ := os.Create(t.TempDir() + "/log")
	b := setup(t, func(d *merchant.Deps) { d.Log = slog.New(slog.NewJSONHandler(f, nil)) })
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	pool := b.store.Pool()
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status string
		var text string
		if err := pool.QueryRow(r.Context(), "SELECT status, metadata FROM charges WHERE id = $1", id).Scan(&status, &text); err != nil {
			w.WriteHeader(500)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"status":"`+status+`"}`)
	}))
	defer bare.Close()
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	cl := &http.Client{Transport: tr}
	load := func(url string) float64 {
		var wg sync.WaitGroup
		const n, c = 8000, 16
		begun := time.Now()
		for range c {
			wg.Go(func() {
				for range n / c {
					res, err := cl.Get(url)
					if err != nil || res.StatusCode != 200 {
						t.Error(err)
						return
					}
					io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
			})
		}
		wg.Wait()
		return n / time.Since(begun).Seconds()
	}
	for range 3 {
		x, y := load(bare.URL), load(b.url+"/api/charges/"+id+"/public")
		t.Logf("bare %.0f/s, public %.0f/s, ratio %.2f", x, y, y/x)
	}
}
