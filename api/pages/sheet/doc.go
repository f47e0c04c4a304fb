// Package sheet has what both desks share: how a form is read, and pages that are made of parts:
// facts, tables, forms, links, charts. A desk fills in a Page. There is no other template, so that
// all such pages look alike, work alike and are equally accessible.
package sheet
