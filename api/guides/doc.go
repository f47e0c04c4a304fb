// Package guides serves the documents for merchants: as pages for people, as
// Markdown for programs that read, and as a list of both, /llms.txt. Each document
// is written once, in docs; what it links to is found in the service as well.
package guides
