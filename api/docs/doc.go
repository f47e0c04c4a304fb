// Package docs serves documents. For merchants they are pages for people, Markdown for programs,
// and a list of both, /llms.txt; each document is written once, in docs. The reference of an API
// is a page, /docs, that shows the service's own /openapi.json. All files of that page are
// embedded in the binary, so it works offline and on an onion service, and its security policy
// allows requests only to the same origin.
package docs
