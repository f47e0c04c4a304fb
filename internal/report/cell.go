package report

import (
	"strings"
	"unicode"
)

// formulaStarts begin what a spreadsheet runs instead of showing it, in their
// full-width forms too.
const formulaStarts = "=+-@＝＋－＠"

// Cell returns a text that a spreadsheet shows as it is. A text that would run as a
// formula gets an apostrophe in front, as does one that begins with a tab or a line
// break, because some spreadsheets look for a formula after it.
func Cell(text string) string {
	if text == "" {
		return text
	}
	begin := strings.TrimLeftFunc(text, ignored)
	if strings.ContainsAny(text[:1], "\t\r\n") || (begin != "" && strings.ContainsRune(formulaStarts, []rune(begin)[0])) {
		return "'" + text
	}
	return text
}

// ignored reports whether a spreadsheet may skip the character before a formula.
func ignored(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '"' || r == '\''
}
