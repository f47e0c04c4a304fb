package kit

import (
	"net/http"
	"strconv"
)

// beginningSize is the number of bytes of a page that are sent before the rest is rendered.
// They contain the head, so that the browser can fetch the stylesheet meanwhile.
const beginningSize = 512

// beginning writes a page while it is rendered. It sends nothing until the first beginningSize
// bytes are complete.
type beginning struct {
	w      http.ResponseWriter
	status int
	first  []byte
	// whole is set if the page must be complete before anything is sent. An HTTP/1.0 answer
	// without a length ends with the connection, so a truncated page would look complete. A
	// HEAD request needs the length.
	whole bool
	// sent is set after the first bytes were sent. gone is the error after which nothing more
	// is sent.
	sent bool
	gone error
}

// Write buffers the first bytes of a page and passes on the rest.
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
		_ = http.NewResponseController(b.w).Flush() // a writer that cannot flush sends later
	}
	return len(p), b.gone
}

// send sends the buffered bytes.
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
