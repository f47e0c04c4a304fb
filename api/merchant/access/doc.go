// Package access is how merchants get into their accounts and keep others out:
// sign-up, login, the verification of addresses, another password and another
// address. Whoever has no account learns of none: answers and their times are
// alike. What ends the access of somebody with an old password ends all of it, and
// the owner is told by mail.
package access
