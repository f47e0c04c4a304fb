package outbound

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// Errors of outgoing calls. errors.Is finds them in the errors of http.Client.
var (
	// ErrForbiddenTarget means that the target is not on the public internet. A
	// retry is pointless.
	ErrForbiddenTarget = errors.New("target address is not allowed")
	// ErrNoProxy means that a call needs a proxy but none is configured.
	ErrNoProxy = errors.New("no proxy is configured")
	// ErrProxyDown means that the proxy itself does not answer. Nothing was sent.
	ErrProxyDown = errors.New("the proxy does not answer")
	// ErrURL means that a URL cannot be a webhook's target.
	ErrURL = errors.New("invalid url")
)

// Describe returns a general reason why a call failed, for readers of a
// delivery log. It contains no address, no host and no part of the service.
func Describe(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrForbiddenTarget):
		return ErrForbiddenTarget.Error()
	case errors.Is(err, ErrNoProxy):
		return ErrNoProxy.Error()
	case errors.Is(err, ErrProxyDown):
		return ErrProxyDown.Error()
	case isTimeout(err):
		return "timeout"
	case isProxyError(err):
		return "the proxy could not reach the target"
	case isTLS(err):
		return "TLS error"
	case has[*net.DNSError](err):
		return "host name could not be resolved"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case isBrokenConnection(err):
		return "connection closed"
	default:
		return "request failed"
	}
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || (errors.As(err, &n) && n.Timeout())
}

// isProxyError recognizes the dialer of golang.org/x/net/proxy by its
// operation.
func isProxyError(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && strings.HasPrefix(op.Op, "socks")
}

// isTLS includes TLS alerts, which crypto/tls reports as a network operation.
func isTLS(err error) bool {
	var op *net.OpError
	return has[*tls.CertificateVerificationError](err) || has[tls.RecordHeaderError](err) ||
		errors.Is(err, http.ErrSchemeMismatch) ||
		(errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error")) ||
		strings.Contains(err.Error(), "tls: ")
}

// has reports whether an error of a type is among the errors that err wraps.
func has[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isBrokenConnection(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
