package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

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
// secrets are written as their LogName.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(contextHandler{slog.NewJSONHandler(nameWriter{w}, &slog.HandlerOptions{Level: level})})
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
