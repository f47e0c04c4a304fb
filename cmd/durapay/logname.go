package main

import (
	"fmt"

	"github.com/durapay/durapay/internal/telemetry"
)

type logNameCmd struct {
	ID string `arg:"" help:"Identifier of a charge, payment request, swap or trade."`
}

// Run prints the name of an identifier in the logs.
func (c *logNameCmd) Run() error {
	_, err := fmt.Println(telemetry.LogName(c.ID))
	return err
}
