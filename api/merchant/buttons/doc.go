// Package buttons is what payment buttons do: anybody makes a charge for a
// merchant, with no credential, as JSON or as a plain form. So what is sent is
// cleaned of markup and counted by client.
package buttons
