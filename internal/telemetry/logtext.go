package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"sync"
	"time"
	"unicode"
)

// NewTextLogger writes lines for people from level upwards: time in UTC, level, message, then
// each attribute as name=value. As NewLogger it adds the identifiers that the context knows, and
// writes secrets as their LogName.
func NewTextLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	line := &textLine{next: w}
	attributes := slog.NewTextHandler(&line.text, &slog.HandlerOptions{Level: level, ReplaceAttr: attributeForPeople})
	return slog.New(contextHandler{textHandler{attributes, line}})
}

// textLine is the line that is being written.
type textLine struct {
	mu   sync.Mutex
	text bytes.Buffer
	next io.Writer
}

// textHandler writes the beginning of a line itself. The handler of the attributes writes the rest
// into the same line.
type textHandler struct {
	slog.Handler

	line *textLine
}

const textTime = "2006-01-02 15:04:05.000"

// Handle writes one line.
func (h textHandler) Handle(ctx context.Context, r slog.Record) error {
	h.line.mu.Lock()
	defer h.line.mu.Unlock()
	h.line.text.Reset()
	fmt.Fprintf(&h.line.text, "%s %-5s %s  ", r.Time.UTC().Format(textTime), r.Level, onOneLine(string(nameIn([]byte(r.Message)))))
	if err := h.Handler.Handle(ctx, r); err != nil {
		return err
	}
	_, err := h.line.next.Write(append(bytes.TrimRight(h.line.text.Bytes(), " \n"), '\n'))
	return err
}

// WithAttrs keeps the form of the lines.
func (h textHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return textHandler{h.Handler.WithAttrs(attrs), h.line}
}

// WithGroup keeps the form of the lines.
func (h textHandler) WithGroup(name string) slog.Handler {
	return textHandler{h.Handler.WithGroup(name), h.line}
}

// onOneLine quotes a text with control characters, so that no text makes a line of its own.
func onOneLine(text string) string {
	for _, r := range text {
		if unicode.IsControl(r) {
			return strconv.Quote(text)
		}
	}
	return text
}

// attributeForPeople leaves out what the beginning of the line has, and writes values with units
// and without secrets.
func attributeForPeople(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
		return slog.Attr{}
	}
	switch a = withUnit(groups, a); a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(named(a.Key, a.Value.String()))
	case slog.KindAny:
		a.Value = slog.StringValue(named(a.Key, fmt.Sprintf("%+v", a.Value.Any())))
	default:
	}
	return a
}

// named writes secrets in a value as their log names. The digits of harmless fields are kept.
func named(key, value string) string {
	if len(value) == 32 && (key == "trace_id" || key == "merchant_id" || key == "merchantId") {
		return value
	}
	return string(nameIn([]byte(value)))
}

// withUnit writes a duration with its unit, rounded to what people read.
func withUnit(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(roundedDuration(a.Value.Duration()).String())
	}
	return a
}

// roundedDuration keeps about four digits.
func roundedDuration(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(time.Microsecond)
	default:
		return d
	}
}
