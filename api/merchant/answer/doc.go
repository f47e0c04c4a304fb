// Package answer builds the merchant API's answers: JSON bodies with exact numbers, and
// problems. Errors become answers in one place. An error that it does not know is logged, and
// the client does not see its text.
package answer
