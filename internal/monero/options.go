package monero

import "github.com/durapay/durapay/internal/jsonrpc"

// Endpoint is the address of a process.
type Endpoint struct {
	// URL is the base URL, such as http://127.0.0.1:18081.
	URL string
	// Login is user:password of the process's digest authentication, or empty.
	Login string
}

// Options bound the calls of a client. A zero field takes its default.
type Options = jsonrpc.Options
