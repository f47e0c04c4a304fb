// Package sheet has pages that are made of parts: facts, tables, forms, links, charts. A
// caller fills in a Page. There is no other template, so that all such pages look alike, work
// alike and are equally accessible.
package sheet
