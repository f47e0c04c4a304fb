package config

// Version is the version of this source: a release, or the next one to come. It is
// semantic, with a v in front. A released version has a section in CHANGELOG.md, its
// database in internal/postgres/testdata/releases and its histories in
// workflows/testdata.
const Version = "v0.1.0"
