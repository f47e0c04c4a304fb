// Package runbooks holds the runbooks of this version, so that operators can read them where
// the service runs.
package runbooks

import "embed"

//go:embed *.md
var files embed.FS

// Text returns the runbook with a name such as payout-stuck, as Markdown. It returns false if
// there is none.
func Text(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err == nil
}
