package tasks

import "time"

// Shift is how long one run of a long activity lasts, so that its workflow gets a fresh
// history from time to time.
const Shift = time.Hour
