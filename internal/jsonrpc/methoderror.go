package jsonrpc

import "fmt"

// MethodError is an error in an answer with its context: the process and the method
// that returned it, and its meaning, to which it unwraps.
type MethodError struct {
	// Process is the Name of the process.
	Process string
	// Method is the RPC's name.
	Method string
	// Code is the process's error code; 0 where it gives none.
	Code int
	// Message is the process's text, with addresses blanked.
	Message string
	// Meaning is an error variable of the process's package; nil if the error is
	// unknown.
	Meaning error
}

// Error returns the process, the method, the message and the code.
func (e *MethodError) Error() string {
	return fmt.Sprintf("%s: %s: %s (code %d)", e.Process, e.Method, e.Message, e.Code)
}

// Unwrap returns the meaning, or nil.
func (e *MethodError) Unwrap() error { return e.Meaning }
