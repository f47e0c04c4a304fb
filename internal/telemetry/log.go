package telemetry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"regexp"

	"go.opentelemetry.io/otel/trace"
)

// identifier finds possible identifiers in a line of JSON: hex digits, with the
// prefix of their kind. The first alternative matches fields with 32 digits that
// are no secret. Two more match escapes of JSON, of Go's %q, one within another,
// and of URLs: their own digits belong to no identifier.
var identifier = regexp.MustCompile(`"(?:trace_id|merchant_id|merchantId)":"[0-9a-f]{32}"|` +
	`\\+(?:[0-9a-fA-F]{32,}|u(?:[0-9a-fA-F]{32,}|[0-9a-fA-F]{4})|U(?:[0-9a-fA-F]{32,}|[0-9a-fA-F]{8})|x(?:[0-9a-fA-F]{32,}|[0-9a-fA-F]{2})|[abfnrtv"'/]?)|` +
	`(?:(?:ch|pr|sw|swp|qt|aff|prt|(?:cm|dk)(?:_|%(?:25)*5[fF])(?:live|test))(?:_|%(?:25)*5[fF]))?[0-9a-f]{24,}|` +
	`(?:refund/rf_[0-9a-f]{24}|reset-password|verify-email|join)/[0-9a-f]{64,}|` +
	`%(?:[0-9a-fA-F]{34,}|[0-9a-fA-F]{2})`)

// underline is what URLs write for the prefix's last character; %255f is one
// that was escaped twice.
var underline = regexp.MustCompile(`%(?:25)*5[fF]`)

// bearer is an identifier that is a secret: of a charge, a payment request, a
// swap or a quote; or of a trade, which has no prefix; or a key, or the token of a link,
// which has 64 digits as hashes have, and is known by the path before it.
var bearer = regexp.MustCompile(`^(?:(ch_|pr_|sw_|swp_|qt_)([0-9a-f]{24})|([0-9a-f]{32})|` +
	`((?:aff|prt|(?:cm|dk)_(?:live|test))_)([0-9a-f]{48})|((?:refund/rf_[0-9a-f]{24}|reset-password|verify-email|join)/)([0-9a-f]{64}))$`)

// A log name is so many digits of the identifier and so many of its hash.
const shownDigits, nameDigits = 4, 12

// LogName returns the text that logs show instead of an identifier that opens
// something to anyone who knows it (a payment page, a trade): its first digits and
// some of its SHA-256. The same identifier always has the same name. A hash without
// a key is enough, because at least 80 random bits stay unknown. Any other text is
// returned as it is.
func LogName(id string) string {
	match := bearer.FindStringSubmatch(id)
	if match == nil {
		return id
	}
	prefix, digits := match[1]+match[4]+match[6], match[2]+match[3]+match[5]+match[7]
	sum := sha256.Sum256([]byte(id))
	return prefix + digits[:shownDigits] + "~" + hex.EncodeToString(sum[:])[:nameDigits]
}

// nameWriter writes lines of JSON with log names in the place of identifiers,
// wherever in the line these stand: in the message, an attribute, an error.
type nameWriter struct{ next io.Writer }

// Write takes one whole line, as slog's handlers write it.
func (w nameWriter) Write(line []byte) (int, error) {
	if _, err := w.next.Write(nameIn(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// shortest is how many hex digits an identifier has at least.
const shortest = 24

// nameIn is a text with log names in the place of identifiers. Most lines have no text
// that is long enough for one, apart from the fields of telemetry, and are left alone.
func nameIn(text []byte) []byte {
	if !suspicious(text) {
		return text
	}
	return namedAll(text)
}

// namedAll is nameIn for a text that may have identifiers.
func namedAll(text []byte) []byte {
	return identifier.ReplaceAllFunc(text, func(found []byte) []byte {
		switch found[0] {
		case '"':
			return found
		case '\\', '%':
			return nameEscaped(found)
		default:
			return []byte(LogName(string(underline.ReplaceAll(found, []byte("_")))))
		}
	})
}

// nameEscaped names an identifier of a trade behind an escape. Only the length
// tells the digits of the escape from those of the identifier: %3d, or %253d and
// %25253d where it was escaped twice or more; \b, \x01 or \u003c, behind as many
// backslashes. A hash, of 64 digits, stays as it is.
func nameEscaped(found []byte) []byte {
	const tradeDigits, hashDigits = 32, 64
	digits := len(found) - len(bytes.TrimRight(found, "0123456789abcdefABCDEF"))
	if digits < tradeDigits || digits >= hashDigits {
		return found
	}
	own := len(found) - tradeDigits
	return append(found[:own:own], LogName(string(found[own:]))...)
}

// harmless are the beginnings of fields whose digits, so many, are no secret.
func harmless(digits int) []string {
	switch digits {
	case 32:
		return []string{`"trace_id":"`, `"merchant_id":"`, `"merchantId":"`}
	case shortest:
		return []string{`"request_id":"`}
	default:
		return nil
	}
}

// suspicious reports whether a text may have an identifier: so many hex digits in a
// row that are not just those of a harmless field.
func suspicious(text []byte) bool {
	for at := 0; at < len(text); at++ {
		begin := at
		for at < len(text) && isHex(text[at]) {
			at++
		}
		if at-begin >= shortest && !isHarmless(text, begin, at) {
			return true
		}
	}
	return false
}

// isHarmless reports whether the digits are the whole of a harmless field. A field with
// an escaped quote is a part of another field.
func isHarmless(text []byte, begin, end int) bool {
	for _, field := range harmless(end - begin) {
		before, is := bytes.CutSuffix(text[:begin], []byte(field))
		if is && !bytes.HasSuffix(before, []byte(`\`)) {
			after := text[end:]
			return len(after) > 1 && after[0] == '"' && (after[1] == ',' || after[1] == '}')
		}
	}
	return false
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

type contextKey int

const (
	requestKey contextKey = iota
	workflowKey
)

type workflow struct{ id, run string }

// WithRequestID returns a context whose log lines carry request_id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey, id)
}

// RequestID is the identifier that WithRequestID put there, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey).(string)
	return id
}

// WithWorkflow returns a context whose log lines carry workflow_id and run_id.
func WithWorkflow(ctx context.Context, workflowID, runID string) context.Context {
	return context.WithValue(ctx, workflowKey, workflow{workflowID, runID})
}

// NewLogger writes JSON lines from level upwards. A line that is logged with a
// context carries the identifiers that the context knows. Identifiers that are
// secrets are written as their LogName, durations with their unit.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(contextHandler{slog.NewJSONHandler(nameWriter{w}, &slog.HandlerOptions{Level: level, ReplaceAttr: withUnit})})
}

// contextHandler adds identifiers to every record.
type contextHandler struct{ slog.Handler }

// Handle adds what the context knows and passes the record on.
func (h contextHandler) Handle(ctx context.Context, r slog.Record) error {
	if id := RequestID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	if w, ok := ctx.Value(workflowKey).(workflow); ok {
		r.AddAttrs(slog.String("workflow_id", w.id), slog.String("run_id", w.run))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps adding identifiers.
func (h contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return contextHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps adding identifiers.
func (h contextHandler) WithGroup(name string) slog.Handler {
	return contextHandler{h.Handler.WithGroup(name)}
}
