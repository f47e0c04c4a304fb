// Package kit has the parts that all pages for people share: one layout and one stylesheet,
// texts in the reader's language, readable amounts and times, and headers that forbid scripts,
// content from other hosts and frames around the page. A page embeds Frame and is rendered by
// a Kit. A Page is made of parts: facts, tables, forms, links, charts.
package kit
