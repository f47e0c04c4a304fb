// Package guides serves the documents for merchants: as pages for people, as Markdown for
// programs, and as a list of both, /llms.txt. Each document is written once, in docs; the
// files that it links to are served too.
package guides
