// Package sanctionslist refreshes the sanctions list and checks its age.
// internal/sanctions looks addresses up in it.
package sanctionslist
