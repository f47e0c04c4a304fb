// Package fanout asks several swap providers the same question side by side. It
// waits for a while, goes on with the answers that came, and keeps what comes
// later for whoever asks next. So a slow provider costs a caller a bounded wait,
// and many callers with the same question cost a provider one call.
package fanout
