package telemetry

import (
	"context"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/durapay/durapay/internal/config"
)

// SetupTracing sends the process's spans to the configured collector under the name
// of the service, and makes OpenTelemetry's process-wide provider and propagator do
// so; without a collector it does nothing. The endpoint is host:port (plain text)
// or a URL whose scheme decides. Call shutdown at the end: it sends the remaining
// spans. Identifiers are sent as log names.
func SetupTracing(
	ctx context.Context, c config.Telemetry, serviceName string,
) (shutdown func(context.Context) error, err error) {
	if c.OTLPEndpoint == "" {
		return func(context.Context) error { return nil }, nil
	}
	exporter, err := otlptracegrpc.New(ctx, endpoint(c.OTLPEndpoint)...)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	described, err := resource.New(ctx,
		resource.WithFromEnv(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", serviceName)),
	)
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(nameExporter{exporter}), trace.WithResource(described))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	return provider.Shutdown, nil
}

func endpoint(text string) []otlptracegrpc.Option {
	if strings.Contains(text, "://") {
		return []otlptracegrpc.Option{otlptracegrpc.WithEndpointURL(text)}
	}
	return []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(text), otlptracegrpc.WithInsecure()}
}
