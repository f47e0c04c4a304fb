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

// nameExporter exports spans with log names in the place of identifiers: like logs,
// traces open nothing to their readers.
type nameExporter struct{ trace.SpanExporter }

// ExportSpans implements trace.SpanExporter.
func (e nameExporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	named := make([]trace.ReadOnlySpan, len(spans))
	for i, span := range spans {
		named[i] = namedSpan{span}
	}
	return e.SpanExporter.ExportSpans(ctx, named)
}

type namedSpan struct{ trace.ReadOnlySpan }

// Name implements trace.ReadOnlySpan.
func (s namedSpan) Name() string { return nameInText(s.ReadOnlySpan.Name()) }

// Attributes implements trace.ReadOnlySpan.
func (s namedSpan) Attributes() []attribute.KeyValue { return nameInAll(s.ReadOnlySpan.Attributes()) }

// Events implements trace.ReadOnlySpan.
func (s namedSpan) Events() []trace.Event {
	events := append([]trace.Event(nil), s.ReadOnlySpan.Events()...)
	for i := range events {
		events[i].Name, events[i].Attributes = nameInText(events[i].Name), nameInAll(events[i].Attributes)
	}
	return events
}

// Status implements trace.ReadOnlySpan.
func (s namedSpan) Status() trace.Status {
	status := s.ReadOnlySpan.Status()
	status.Description = nameInText(status.Description)
	return status
}

func nameInText(text string) string { return string(nameIn([]byte(text))) }

func nameInAll(all []attribute.KeyValue) []attribute.KeyValue {
	named := append([]attribute.KeyValue(nil), all...)
	for i, kv := range named {
		if kv.Value.Type() == attribute.STRING {
			named[i].Value = attribute.StringValue(nameInText(kv.Value.AsString()))
		}
		if kv.Value.Type() == attribute.STRINGSLICE {
			texts := append([]string(nil), kv.Value.AsStringSlice()...)
			for n := range texts {
				texts[n] = nameInText(texts[n])
			}
			named[i].Value = attribute.StringSliceValue(texts)
		}
	}
	return named
}
