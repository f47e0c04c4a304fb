// Package witness records outside of PostgreSQL how far each wallet has come. So a
// database that was restored from an older copy pays nothing twice and gives no address
// to a second owner.
//
// Each wallet has a Mark: the highest number of an outgoing transaction that may have
// been relayed, and the highest index of an address that may have been given out. Marks
// only grow. They are kept in Places that a restore of the database does not change:
// the wallet's own file, and a Temporal workflow for each wallet. The chain is another
// witness: it shows which transactions a wallet sent.
//
// Every action has three steps: the database is written, then the places are raised,
// then the action is done. So a place never knows more than a current database. If a
// place does know more, the Keeper puts the wallet into safe mode: until an operator
// has recovered it, the wallet builds no transaction, sends no transaction for the
// first time and gives out no address. A process that dies between two steps leaves a
// mark that is too high, which costs some addresses, or a transaction that is relayed
// later.
//
// Comparisons, raises and recoveries of one wallet exclude each other across all
// processes. They use a lock of the database that needs no transaction, because a place
// may take long to answer.
//
// Which places count. A comparison may leave out a place that does not answer, but not
// all of them. The first comparison in an instance of the database (a start of the
// server, a restored copy, a failover) needs all places. A raise needs the wallet's own
// file, which every transaction uses anyway. If Temporal does not answer within
// seconds, the raise skips it and the next comparison raises it. A place that knows
// less than the database confirmed is an older copy or was created again. It is raised
// if another place agrees with the database. If no place does, the wallet goes into
// safe mode, because it is unknown which of them is right.
//
// A database that was loaded from a dump is another copy than the one in which the last
// lease was opened. A backup may contain Temporal and the database from the same
// moment, and they then agree at any age. So the wallet starts in safe mode whatever
// the places say.
//
// The package also holds the states of outgoing transactions, and the one way to abandon
// them, which normal operation and the recovery of a wallet share.
package witness
