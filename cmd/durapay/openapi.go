package main

import "github.com/durapay/durapay/api/merchant"

// openAPICmd writes the OpenAPI documents.
type openAPICmd struct {
	Dir string `default:"openapi" help:"Folder for the documents." type:"path"`
}

// Run generates the documents from the code.
func (c *openAPICmd) Run() error { return merchant.WriteOpenAPI(c.Dir) }
