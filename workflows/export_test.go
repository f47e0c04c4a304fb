package workflows

// PhaseRow is a row of a table of phases.
type PhaseRow = transition

// PhaseRows returns the table of a workflow, for the tests that walk it.
func PhaseRows(workflow string) []PhaseRow { return tables[workflow] }
