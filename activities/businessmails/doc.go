// Package businessmails gathers the notices that merchants chose into mails: one mail for
// each immediate notice, up to a limit, and one digest a day. The mail workflow sends
// them.
package businessmails
