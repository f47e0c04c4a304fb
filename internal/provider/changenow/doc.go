// Package changenow speaks version 2 of ChangeNOW's API: the standard flow at
// floating rates, a key in the header X-Changenow-Api-Key.
package changenow
