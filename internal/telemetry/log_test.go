package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"github.com/durapay/durapay/internal/telemetry"
)

// logged returns the only line that the function logs.
func logged(t *testing.T, log func(*slog.Logger)) map[string]any {
	t.Helper()
	var out bytes.Buffer
	log(telemetry.NewLogger(&out, slog.LevelInfo))
	if out.Len() == 0 {
		return nil
	}
	var line map[string]any
	require.NoError(t, json.Unmarshal(out.Bytes(), &line))
	return line
}

func TestLinesCarryWhatTheContextKnows(t *testing.T) {
	t.Parallel()
	ctx := telemetry.WithRequestID(t.Context(), "req-1")
	require.Equal(t, "req-1", telemetry.RequestID(ctx))
	ctx = telemetry.WithWorkflow(ctx, "charge-ch_1", "run-1")
	ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2},
	}))
	line := logged(t, func(l *slog.Logger) { l.With("a", 1).InfoContext(ctx, "hello", "b", 2) })
	require.Equal(t, "hello", line["msg"])
	require.Equal(t, "req-1", line["request_id"])
	require.Equal(t, "charge-ch_1", line["workflow_id"])
	require.Equal(t, "run-1", line["run_id"])
	require.Equal(t, "01000000000000000000000000000000", line["trace_id"])
	require.InDelta(t, 1, line["a"], 0)
	require.InDelta(t, 2, line["b"], 0)
}

func TestLinesWithoutIdentifiers(t *testing.T) {
	t.Parallel()
	line := logged(t, func(l *slog.Logger) { l.InfoContext(context.Background(), "hello") })
	for _, key := range []string{"request_id", "workflow_id", "run_id", "trace_id"} {
		require.NotContains(t, line, key)
	}
	require.Empty(t, telemetry.RequestID(context.Background()))
}

func TestGroupsKeepIdentifiers(t *testing.T) {
	t.Parallel()
	ctx := telemetry.WithRequestID(t.Context(), "req-1")
	line := logged(t, func(l *slog.Logger) { l.WithGroup("g").InfoContext(ctx, "hello", "b", 2) })
	require.Equal(t, map[string]any{"b": 2.0, "request_id": "req-1"}, line["g"])
}

func TestLevel(t *testing.T) {
	t.Parallel()
	require.Nil(t, logged(t, func(l *slog.Logger) { l.Debug("hidden") }))
}
