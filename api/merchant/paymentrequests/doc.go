// Package paymentrequests is links to share, from which a charge is made when
// they are visited: what merchants do with them, and what their visitors see.
// Reading a link makes nothing.
package paymentrequests
