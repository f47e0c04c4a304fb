// Package pgtest gives each test a database of its own with the current
// schema. The schema is migrated once into a template, and a test's database
// is a copy of it, or one that another test has used: its rows are removed, and
// its sessions stay, which saves half of a test's time. A database that cannot be
// made as new is removed. The server is the one that DURAPAY_TEST_DATABASE_URL
// names, or else a private one that the first test of the process starts; it ends,
// and its files go, with the process, however that ends.
package pgtest
