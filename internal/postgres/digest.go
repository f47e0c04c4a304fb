package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
)

// SchemaDigest returns a short code that changes with the text of any
// migration.
func SchemaDigest() string {
	sum := sha256.New()
	files, _ := fs.Glob(migrations, "migrations/*.sql") // the pattern is valid
	for _, name := range files {
		text, _ := migrations.ReadFile(name) // the file is embedded, so it exists
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
