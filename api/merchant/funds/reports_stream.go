package funds

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/report"
	"github.com/durapay/durapay/internal/wire"
)

// These are the formats of a report.
const (
	formatJSON = "json"
	formatCSV  = "csv"
	csvType    = "text/csv; charset=utf-8"
)

const (
	// streamBuffer is the size of a piece in bytes.
	streamBuffer = 32 << 10
	// streamPause is the maximum time that a client may take to receive a piece.
	streamPause = 60 * time.Second
)

// transactionReport documents the output of writeJSONReport.
type transactionReport struct {
	From         wire.Time            `json:"from"`
	To           wire.Time            `json:"to"`
	Transactions []report.Transaction `json:"transactions" doc:"The first confirmed first"`
}

type csvFile struct{}

// Schema describes the download.
func (csvFile) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The same columns as the JSON, in the same order, under a line of names"}
}

// stream is an answer that is written in pieces.
type stream struct{ Body func(huma.Context) }

// streamReport sends a report while it is read. An error before the first piece gets an error
// answer. A later error breaks the connection, so that a client never mistakes a part for the
// whole.
func (h *Reports) streamReport(span report.Span, format string, fiat bool, all iter.Seq2[report.Transaction, error]) *stream {
	return &stream{func(ctx huma.Context) {
		w := &pieces{ctx: ctx, headers: reportHeaders(format, span)}
		if ctx.Method() == http.MethodHead {
			w.begin()
			return
		}
		write := writeJSONReport
		if format == formatCSV {
			write = writeCSVReport
		}
		buffer := bufio.NewWriterSize(w, streamBuffer)
		err := write(buffer, span, fiat, all)
		if err == nil {
			err = buffer.Flush()
		}
		switch {
		case err == nil:
		case !w.begun:
			h.Errors.Fail(ctx, err)
		default:
			h.Log.WarnContext(ctx.Context(), "report broken off", "error", err)
			panic(http.ErrAbortHandler)
		}
	}}
}

func reportHeaders(format string, span report.Span) map[string]string {
	if format == formatJSON {
		return map[string]string{"Content-Type": httpapi.JSON}
	}
	const day = "20060102"
	name := fmt.Sprintf("transactions-%s-%s.csv", span.From.Format(day), span.To.Format(day))
	return map[string]string{"Content-Type": csvType, "Content-Disposition": fmt.Sprintf("attachment; filename=%q", name)}
}

// pieces sends the headers with the first piece. It sets a new deadline for each piece instead
// of one for all.
type pieces struct {
	ctx     huma.Context
	headers map[string]string
	begun   bool
}

// Write sends one piece.
func (p *pieces) Write(b []byte) (int, error) {
	p.begin()
	_, w := humachi.Unwrap(p.ctx)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(streamPause)) // not every listener has deadlines
	return w.Write(b)
}

func (p *pieces) begin() {
	if p.begun {
		return
	}
	p.begun = true
	for name, value := range p.headers {
		p.ctx.SetHeader(name, value)
	}
	p.ctx.SetStatus(http.StatusOK)
}

func writeJSONReport(w io.Writer, span report.Span, fiat bool, all iter.Seq2[report.Transaction, error]) error {
	_, err := fmt.Fprintf(w, `{"from":"%s","to":"%s","transactions":[`, wire.TimeOf(span.From), wire.TimeOf(span.To))
	if err != nil {
		return err
	}
	separator := ""
	for t, err := range all {
		if err != nil {
			return err
		}
		if !fiat {
			t.Fiat = nil
		}
		if _, err := io.WriteString(w, separator); err != nil {
			return err
		}
		if err := httpapi.Write(w, t); err != nil {
			return err
		}
		separator = ","
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

func writeCSVReport(w io.Writer, _ report.Span, fiat bool, all iter.Seq2[report.Transaction, error]) error {
	lines := csv.NewWriter(w)
	if err := lines.Write(report.Columns(fiat)); err != nil {
		return err
	}
	for t, err := range all {
		if err != nil {
			return err
		}
		if !fiat {
			t.Fiat = nil
		}
		if err := lines.Write(t.Record()); err != nil {
			return err
		}
	}
	lines.Flush()
	return lines.Error()
}
