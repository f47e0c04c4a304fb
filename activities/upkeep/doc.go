// Package upkeep has the activities that keep the service in order: Retention removes data that
// was kept long enough, table by table in batches, in an order in which nothing refers to removed
// rows. Overdue finds rows that should have moved and have not, wakes their workflows and alerts
// operators, also of a network fork that the daemon does not know. SanctionsList refreshes the sanctions list and checks its age.
package upkeep
