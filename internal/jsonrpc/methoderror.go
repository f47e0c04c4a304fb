package jsonrpc

import "fmt"

// MethodError is an Error that is understood: which process and method answered
// it, and what it means. It unwraps to its meaning.
type MethodError struct {
	// Process is the Name of the process.
	Process string
	// Method is the RPC's name.
	Method string
	// Code is the process's error code; 0 where it gives none.
	Code int
	// Message is the process's text, with addresses blanked.
	Message string
	// Meaning is a sentinel of the process's package; nil when it is not known.
	Meaning error
}

// Error tells the process, method, code and message.
func (e *MethodError) Error() string {
	return fmt.Sprintf("%s: %s: %s (code %d)", e.Process, e.Method, e.Message, e.Code)
}

// Unwrap returns the meaning, or nil.
func (e *MethodError) Unwrap() error { return e.Meaning }
