// Package witness knows outside of PostgreSQL how far each wallet has come, so
// that a database which was restored from an older copy pays nothing twice and
// hands no address to a second owner.
//
// Each wallet has a Mark: the highest number of an outgoing transaction that may
// have been relayed, and the highest index of an address that may have been
// handed out. Marks only grow. They are kept in Places that a restore of the
// database does not reach: the wallet's own file, and a workflow of Temporal for
// each wallet. The chain itself is one more witness: it shows what a wallet sent.
//
// The database writes first, then the places are raised, then the thing is done.
// So a place never knows more than a database that is current, and a Keeper that
// finds one that does puts the wallet into safe mode: nothing is built, sent for
// the first time or handed out until an operator has recovered it. A process that
// dies between two of these steps leaves a mark that is too high, which costs some
// addresses, or a transaction that is relayed later.
//
// Comparisons, raises and recoveries of one wallet take turns, over all processes, by a
// lock of the database that needs no transaction: a place may take long to answer.
//
// Which places count. A comparison may leave out a place that does not answer,
// but not all of them; the first one in an instance of the database (a start of
// the server, a restored copy, a failover) needs them all. A raise needs the
// wallet's own file, which is asked for every transaction anyway; Temporal that
// does not answer within seconds is passed over and raised by the next comparison.
// A place that knows less than the database confirmed is an older copy, or was
// made anew: it is raised if another place agrees with the database. If none does,
// nobody can tell which is right, and the wallet is put into safe mode.
//
// A database that was loaded from a dump is another copy than the one in which the
// last lease was opened. Temporal and the database come back of one moment then and
// agree at any age, so the wallet begins in safe mode whatever the places say.
package witness
