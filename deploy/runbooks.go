// Package deploy holds the runbooks of this version, so that operators can read them where the
// service runs.
package deploy

import "embed"

//go:embed runbooks/*.md
var runbooks embed.FS

// Runbook returns the runbook with a name such as payout-stuck, as Markdown. It returns false
// if there is none.
func Runbook(name string) (string, bool) {
	text, err := runbooks.ReadFile("runbooks/" + name + ".md")
	return string(text), err == nil
}
