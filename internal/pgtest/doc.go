// Package pgtest gives each test a database of its own with the current
// schema. The schema is migrated once into a template, and a test's database
// is a copy of it, which takes some tens of milliseconds. The server is the
// one that DURAPAY_TEST_DATABASE_URL names, or else a private one that the
// first test of the process starts; it ends, and its files go, with the
// process, however that ends.
package pgtest
