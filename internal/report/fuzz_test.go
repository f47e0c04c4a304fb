package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/report"
)

// FuzzCell: no cell begins as a formula, whatever a spreadsheet skips before
// it, nothing but an apostrophe is added, and the cell survives the file.
func FuzzCell(f *testing.F) {
	for _, seed := range []string{
		"", "A-1001", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1", "\u200b=1", "\ufeff=1", `"=1`, "'=1", "\x00=1", "1=1", "\u00a0-1", "\n",
		"=HYPERLINK(\"http://x\")", "a,b\"c\nd", "\u2028=1", "\u180e=1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := report.Cell(text)
		require.Contains(t, []string{text, "'" + text}, cell)
		first := strings.IndexFunc(cell, func(r rune) bool {
			return !unicode.IsSpace(r) && !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) && r != '"'
		})
		if first >= 0 {
			r, _ := utf8.DecodeRuneInString(cell[first:])
			require.NotContains(t, "=+-@＝＋－＠", string(r), "%q", cell)
		}
		if !utf8.ValidString(text) || strings.ContainsRune(text, '\r') {
			return // a CSV reader changes these by itself
		}
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		require.NoError(t, w.Write([]string{"x", cell, "y"}))
		w.Flush()
		read, err := csv.NewReader(&file).Read()
		require.NoError(t, err)
		require.Equal(t, []string{"x", cell, "y"}, read)
	})
}
