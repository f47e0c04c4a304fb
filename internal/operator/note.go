package operator

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNote is the length of a note in characters.
const maxNote = 500

// noteOf checks what an operator wrote: 1 to 500 characters.
func noteOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	n := utf8.RuneCountInString(text)
	if n < 1 || n > maxNote || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return "", refuse("note must be 1 to %d printable characters", maxNote)
	}
	return text, nil
}
