package telemetry_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	spans "go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/telemetry"
)

// spanCollector receives spans as an OTLP collector does.
type spanCollector struct {
	collector.UnimplementedTraceServiceServer
	received chan *collector.ExportTraceServiceRequest
}

func (c *spanCollector) Export(
	_ context.Context, r *collector.ExportTraceServiceRequest,
) (*collector.ExportTraceServiceResponse, error) {
	c.received <- r
	return &collector.ExportTraceServiceResponse{}, nil
}

func startCollector(t *testing.T) (*spanCollector, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &spanCollector{received: make(chan *collector.ExportTraceServiceRequest, 100)}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, c)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return c, listener.Addr().String()
}

// The two forms run one after the other: the provider is the process's.
func TestSpansReachTheCollector(t *testing.T) {
	// On a busy machine the exporter may need longer than it takes by itself.
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "60000")
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "60000")
	for _, scheme := range []string{"", "http://"} {
		received, addr := startCollector(t)
		shutdown, err := telemetry.SetupTracing(t.Context(), config.Telemetry{OTLPEndpoint: scheme + addr}, "merchant-api")
		require.NoError(t, err)
		_, span := otel.Tracer("test").Start(t.Context(), "create charge")
		span.End()
		require.NoError(t, shutdown(t.Context()))

		resource := (<-received.received).GetResourceSpans()[0]
		require.Equal(t, "create charge", resource.GetScopeSpans()[0].GetSpans()[0].GetName())
		attributes := map[string]string{}
		for _, a := range resource.GetResource().GetAttributes() {
			attributes[a.GetKey()] = a.GetValue().GetStringValue()
		}
		require.Equal(t, "merchant-api", attributes["service.name"])
	}
}

// TestSpansShowNoBearerSecret puts identifiers wherever a span has text, as the
// interceptor of Temporal and those of HTTP and SQL do.
func TestSpansShowNoBearerSecret(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "60000")
	t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "60000")
	received, addr := startCollector(t)
	shutdown, err := telemetry.SetupTracing(t.Context(), config.Telemetry{OTLPEndpoint: addr}, "swap-api")
	require.NoError(t, err)
	charge, trade, tx := secret.NewID("ch_"), secret.NewTradeID(), strings.Repeat("ab", 32)
	for _, id := range []string{charge, trade} {
		_, span := otel.Tracer("test").Start(t.Context(), "GET /exchange/"+id, spans.WithAttributes(
			attribute.String("temporalWorkflowID", "trade-"+id), attribute.String("temporalUpdateID", id),
			attribute.StringSlice("ids", []string{id}), attribute.String("tx", tx), attribute.Int("n", 1)))
		span.AddEvent("about "+id, spans.WithAttributes(attribute.String("x", id)))
		span.RecordError(errors.New("no trade " + id))
		span.SetStatus(codes.Error, "no trade "+id)
		span.End()
	}
	require.NoError(t, shutdown(t.Context()))
	sent := (<-received.received).String()
	require.Contains(t, sent, "temporalWorkflowID")
	require.Contains(t, sent, tx)
	for _, id := range []string{charge, trade} {
		require.NotContains(t, sent, id)
		require.Equal(t, 8, strings.Count(sent, telemetry.LogName(id)), sent)
	}
}

func TestTracingIsOffWithoutACollector(t *testing.T) {
	t.Parallel()
	shutdown, err := telemetry.SetupTracing(t.Context(), config.Telemetry{}, "worker")
	require.NoError(t, err)
	require.NoError(t, shutdown(t.Context()))
}
