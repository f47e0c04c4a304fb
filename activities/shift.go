package activities

import "time"

// shift is how long one run of a long activity lasts, so that its workflow's
// history starts afresh from time to time.
const shift = time.Hour
