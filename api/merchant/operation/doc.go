// Package operation adds operations to the API: what the documents say of one,
// whose credential it needs, how its errors are answered.
package operation
