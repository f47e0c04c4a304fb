package telemetry_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"

	"github.com/durapay/durapay/internal/config"
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

func TestTracingIsOffWithoutACollector(t *testing.T) {
	t.Parallel()
	shutdown, err := telemetry.SetupTracing(t.Context(), config.Telemetry{}, "worker")
	require.NoError(t, err)
	require.NoError(t, shutdown(t.Context()))
}
