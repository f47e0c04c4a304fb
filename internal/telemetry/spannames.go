package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
)

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
