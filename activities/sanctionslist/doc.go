// Package sanctionslist reads the sanctions list anew and says how old it is. Who is
// on it is asked of internal/sanctions.
package sanctionslist
