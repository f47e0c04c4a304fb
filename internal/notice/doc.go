// Package notice mails merchants about changes of their account, so that they notice a
// change by an intruder, and about the events of their business that they chose. A notice
// is a row written in the transaction of the change: no crash leaves a change without its
// mail, and a change that is rolled back has none. The notice of a change of the account
// comes with a wakeup of the workflow that mails it. Mails about business are made later,
// at once or once a day (activities/mails).
//
// The package writes the mails and hands them to an SMTP server. A mail is one message in
// two forms, plain text and HTML without pictures or styles from elsewhere. Handing over
// may be repeated: a message keeps its Message-ID, by which receivers know it again. No
// error names an address, since errors end up in logs and workflow histories.
package notice
