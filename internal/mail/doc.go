// Package mail writes the mails that merchants get and hands them to an SMTP
// server. A mail is one message in two forms, plain text and HTML without
// pictures or styles from elsewhere. Handing over may be repeated: a message
// keeps its Message-ID, by which receivers know it again. No error names an
// address, since errors end up in logs and workflow histories.
package mail
