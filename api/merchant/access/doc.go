// Package access handles how merchants get into their accounts: sign-up, login, verification of
// email addresses, and changes of password and address. A client without an account cannot find
// out which accounts exist, because answers and their times are the same either way. A new
// password voids every session and every pending link, and the owner gets a mail about it.
package access
