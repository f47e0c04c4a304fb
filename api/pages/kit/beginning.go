package kit

import (
	"net/http"
	"strconv"
)

// beginningSize is how many bytes of a page go out together before the rest of it is
// made: its head, which names the style that a browser fetches meanwhile.
const beginningSize = 512

// beginning writes a page while it is made. Nothing goes out before its beginning is
// there.
type beginning struct {
	w      http.ResponseWriter
	status int
	first  []byte
	// whole is set where nothing may go out before all is there: to HTTP/1.0 an answer in
	// pieces ends with the connection, and one that breaks off looks the same. HEAD asks for
	// the length.
	whole bool
	// sent says that something went out, gone is why nothing more does.
	sent bool
	gone error
}

// Write keeps the beginning until it is long enough.
func (b *beginning) Write(p []byte) (int, error) {
	if b.sent {
		return b.out(p)
	}
	b.first = append(b.first, p...)
	if b.whole || len(b.first) < beginningSize {
		return len(p), nil
	}
	b.send()
	if b.gone == nil {
		_ = http.NewResponseController(b.w).Flush() // one that cannot sends later
	}
	return len(p), b.gone
}

// send lets go of what is kept.
func (b *beginning) send() {
	if b.sent {
		return
	}
	b.sent = true
	if b.whole {
		b.w.Header().Set("Content-Length", strconv.Itoa(len(b.first)))
	}
	b.w.WriteHeader(b.status)
	_, _ = b.out(b.first)
}

func (b *beginning) out(p []byte) (n int, err error) {
	n, b.gone = b.w.Write(p)
	return n, b.gone
}
