// Package businessmails gathers what merchants chose to be mailed about into mails: one
// for each notice at once, up to a limit, and one digest a day. The mail workflow sends
// them.
package businessmails
