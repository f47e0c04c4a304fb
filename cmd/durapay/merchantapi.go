package main

import "context"

// merchantAPICmd serves the merchant API and the hosted pages.
type merchantAPICmd struct{}

// Run serves until the process is told to stop.
func (c *merchantAPICmd) Run(ctx context.Context) error { return nil }
