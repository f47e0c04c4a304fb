// Package kit is what all pages for people are made with: one layout and one
// stylesheet, texts in the reader's language, amounts and moments as people read
// them, and headers that let a page have no script, nothing from elsewhere and no
// frame around it. A page embeds Frame and is rendered by a Kit.
package kit
