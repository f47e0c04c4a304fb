// Package tasks is ground: how workflows name a wallet or a trade to more than one
// room.
package tasks
