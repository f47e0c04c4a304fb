package main

import (
	"errors"

	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/swap"
)

// openAPICmd writes the OpenAPI documents.
type openAPICmd struct {
	Dir string `default:"openapi" help:"Folder for the documents." type:"path"`
}

// Run generates the documents from the code.
func (c *openAPICmd) Run() error {
	return errors.Join(merchant.WriteOpenAPI(c.Dir), greenfield.WriteOpenAPI(c.Dir), swap.WriteOpenAPI(c.Dir))
}
