// Package openapi holds the generated documents of the APIs. A running service generates the
// document of its own API; the document of the Greenfield surface is served from here.
package openapi

import _ "embed"

// Greenfield is the document of the Greenfield surface, in YAML.
//
//go:embed greenfield.yaml
var Greenfield []byte
