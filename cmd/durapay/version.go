package main

import (
	"fmt"

	"github.com/durapay/durapay/internal/release"
)

// versionCmd prints what was built.
type versionCmd struct{}

// Run prints the version alone, for scripts.
func (c *versionCmd) Run() error {
	fmt.Println(release.Version)
	return nil
}
