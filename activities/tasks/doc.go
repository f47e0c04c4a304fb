// Package tasks is ground: how workflows name a wallet or a trade to more than one
// room, and how a long step shows Temporal that its worker lives. If the worker was killed,
// another worker takes the step over within seconds.
package tasks
