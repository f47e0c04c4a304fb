// Package operation adds operations to the API: their documentation, the credential that they
// need, and how their errors are answered.
package operation
