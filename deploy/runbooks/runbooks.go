// Package runbooks holds the runbooks of this version, to be read where the service
// runs.
package runbooks

import "embed"

//go:embed *.md
var files embed.FS

// Text is the runbook with a name such as payout-stuck, as Markdown; false where
// there is none.
func Text(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err == nil
}
