package operator

// SealedColumns returns the columns that Rekey reads.
func SealedColumns() (names []string) {
	for _, t := range sealedTables() {
		for _, column := range t.columns {
			names = append(names, t.name+"."+column+"_sealed")
		}
	}
	return names
}
