package programs

import (
	"errors"
	"fmt"
	"os"
)

// TemporalKind is the kind of a stack's Temporal server.
type TemporalKind string

// The kinds of Temporal.
const (
	// TemporalDevelopment is the development server of the temporal command, with
	// its web UI, on a SQLite file.
	TemporalDevelopment TemporalKind = "dev"
	// TemporalProduction is the production server, on the stack's PostgreSQL.
	TemporalProduction TemporalKind = "server"
)

// ErrTemporalKind is returned for an unknown kind of Temporal.
var ErrTemporalKind = errors.New("which Temporal")

// TemporalVariable names the kind in a process's environment.
const TemporalVariable = "DEV_TEMPORAL"

// ChosenTemporal returns the kind that the process's environment selects; by default the
// development server.
func ChosenTemporal() (TemporalKind, error) { return ParseTemporal(os.Getenv(TemporalVariable)) }

// ParseTemporal returns the kind with a name: dev, server, or empty for the development
// server. The error is ErrTemporalKind.
func ParseTemporal(name string) (TemporalKind, error) {
	switch kind := TemporalKind(name); kind {
	case "":
		return TemporalDevelopment, nil
	case TemporalDevelopment, TemporalProduction:
		return kind, nil
	default:
		return "", fmt.Errorf("%w: %s is %q; there are %s and %s",
			ErrTemporalKind, TemporalVariable, name, TemporalDevelopment, TemporalProduction)
	}
}

// OfTemporal returns the programs of a kind.
func OfTemporal(kind TemporalKind) []Program {
	if kind == TemporalProduction {
		return []Program{TemporalServer, TemporalSQLTool, TemporalUI}
	}
	return []Program{Temporal}
}
