// Package permission holds the rights of staff and applications. A person of the staff has an
// account of their own and a role in the shop; one table lists the operations of each role, and
// every other operation is for the merchant alone. A key for an application has permissions,
// some of which contain others. The package also has how many people a shop may have, and how long
// invites and records of actions last.
package permission
