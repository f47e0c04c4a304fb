package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// firstRelease is the number of the last migration of the first release. Migrations up
// to it run only on empty tables.
const firstRelease = "00009"

// TestMigrationsBlockNoWrites checks the migrations that will run while services and
// backups are running. PostgreSQL must not scan or rewrite a table into which a charge
// may be written at the same time.
func TestMigrationsBlockNoWrites(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if filepath.Base(name)[:len(firstRelease)] > firstRelease {
			require.Empty(t, locking(string(text)), name)
		}
	}
	for sql, refused := range map[string]bool{
		"CREATE INDEX a ON charges (id);":                                                                              true,
		"CREATE UNIQUE INDEX a ON charges (id);":                                                                       true,
		"CREATE INDEX CONCURRENTLY a ON charges (id);":                                                                 true,
		"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY a ON charges (id);":                                       true,
		"-- +goose NO TRANSACTION\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a ON charges (id);":                         true,
		"-- +goose NO TRANSACTION\nDROP INDEX CONCURRENTLY IF EXISTS a;\nCREATE INDEX CONCURRENTLY a ON charges (id);": false,
		"CREATE TABLE news (id text);\nCREATE INDEX a ON news (id);\nALTER TABLE news ADD PRIMARY KEY (id);":           false,
		"LOCK TABLE charges IN SHARE ROW EXCLUSIVE MODE;":                                                              true,
		"UPDATE charges SET mark = NULL;":                                                                              true,
		"ALTER TABLE charges ADD COLUMN news text;":                                                                    false,
		"ALTER TABLE charges ADD COLUMN news text NOT NULL DEFAULT '';":                                                false,
		"ALTER TABLE charges ADD COLUMN news uuid DEFAULT gen_random_uuid();":                                          true,
		"ALTER TABLE charges\n\tADD COLUMN news text,\n\tALTER COLUMN mark SET NOT NULL;":                              true,
		"ALTER TABLE charges ALTER COLUMN mark TYPE bigint;":                                                           true,
		"ALTER TABLE charges ADD CONSTRAINT a CHECK (amount > 0);":                                                     true,
		"ALTER TABLE charges ADD CONSTRAINT a CHECK (amount > 0) NOT VALID;":                                           false,
		"ALTER TABLE charges ADD CONSTRAINT a UNIQUE USING INDEX b;":                                                   false,
		"ALTER TABLE charges VALIDATE CONSTRAINT a;":                                                                   false,
		"DROP INDEX a;": true,
		"-- +goose NO TRANSACTION\nDROP INDEX CONCURRENTLY IF EXISTS a;": false,
		"-- CREATE INDEX a ON charges (id);\nSELECT 1;":                  false,
	} {
		require.Equal(t, refused, len(locking(sql)) > 0, "%s: %v", sql, locking(sql))
	}
}

// rule is a kind of statement that blocks other sessions.
type rule struct{ statement, but, why string }

var rules = []rule{
	{`^CREATE( UNIQUE)? INDEX`, `INDEX CONCURRENTLY`, "an index is made with CONCURRENTLY"},
	{`^DROP INDEX`, `INDEX CONCURRENTLY IF EXISTS`, "an index is removed with CONCURRENTLY IF EXISTS"},
	{`^(LOCK|VACUUM FULL|CLUSTER|TRUNCATE|REINDEX)\b`, `CONCURRENTLY`, "it locks a table"},
	{`^(UPDATE|DELETE FROM)\b`, `^$`, "rows are changed by a worker, some at a time"},
	{`^ALTER TABLE.*\bTYPE\b`, `^$`, "another type rewrites the table: add a column"},
	{`^ALTER TABLE.*\bSET NOT NULL`, `^$`, "it scans the table: CHECK … NOT VALID, then VALIDATE"},
	{`^ALTER TABLE.*\bADD COLUMN\b.*\bDEFAULT [a-z_]+\(`, `^$`, "a default that is computed rewrites the table"},
	{`^ALTER TABLE.*\bADD (CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK)\b`, `NOT VALID|USING INDEX`, "it scans the table: NOT VALID, or USING INDEX"},
}

var (
	comment  = regexp.MustCompile(`(?m)--.*$`)
	spaces   = regexp.MustCompile(`\s+`)
	newTable = regexp.MustCompile(`CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	atOnce   = regexp.MustCompile(`^CREATE(?: UNIQUE)? INDEX CONCURRENTLY (\w+)`)
	onTable  = regexp.MustCompile(`^(?:CREATE.* INDEX .*?ON|ALTER TABLE(?: IF EXISTS)?(?: ONLY)?|UPDATE|DELETE FROM|LOCK TABLE) (\w+)`)
)

// locking returns the statements of a migration that block other sessions, with the
// reasons.
func locking(text string) (found []string) {
	alone := strings.Contains(text, "-- +goose NO TRANSACTION")
	sql := comment.ReplaceAllString(text, "")
	made := map[string]bool{}
	for _, table := range newTable.FindAllStringSubmatch(sql, -1) {
		made[table[1]] = true
	}
	for statement := range strings.SplitSeq(sql, ";") {
		statement = strings.TrimSpace(spaces.ReplaceAllString(statement, " "))
		if table := onTable.FindStringSubmatch(statement); table != nil && made[table[1]] {
			continue
		}
		if strings.Contains(statement, "CONCURRENTLY") && !alone {
			found = append(found, fmt.Sprintf("%s: CONCURRENTLY needs -- +goose NO TRANSACTION", statement))
		}
		// An attempt that was interrupted leaves an index that guarantees nothing.
		if index := atOnce.FindStringSubmatch(statement); index != nil && !strings.Contains(sql, "DROP INDEX CONCURRENTLY IF EXISTS "+index[1]+";") {
			found = append(found, fmt.Sprintf("%s: DROP INDEX CONCURRENTLY IF EXISTS comes before it, so that it can be tried again", statement))
		}
		for _, r := range rules {
			if regexp.MustCompile(r.statement).MatchString(statement) && !regexp.MustCompile(r.but).MatchString(statement) {
				found = append(found, fmt.Sprintf("%s: %s", statement, r.why))
			}
		}
	}
	return found
}
