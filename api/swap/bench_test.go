package swap_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkNewRate is one quote as the server makes it, without the network.
func BenchmarkNewRate(b *testing.B) {
	handler := setup(b, nil).handler
	req := httptest.NewRequest(http.MethodGet, "/api/v1/new_rate?"+asked().Encode(), http.NoBody)
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		if w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
