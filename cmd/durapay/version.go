package main

import (
	"fmt"

	"github.com/durapay/durapay/internal/release"
)

// versionCmd prints the version of this build.
type versionCmd struct{}

// Run prints only the version, for use in scripts.
func (c *versionCmd) Run() error {
	fmt.Println(release.Version)
	return nil
}
