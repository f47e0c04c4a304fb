// Package changenow implements version 2 of ChangeNOW's API: the standard flow
// at floating rates, with a key in the header X-Changenow-Api-Key.
package changenow
