// Package sheet is pages that are made of parts: facts, tables, forms, links,
// charts. Who makes one fills in a Page; there is no template beside those here, so
// that all such pages look alike, are used alike and are as accessible as each other.
package sheet
