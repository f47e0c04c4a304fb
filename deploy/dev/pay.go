package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/durapay/durapay/deploy/dev/stack"
)

var chargeID = regexp.MustCompile(`ch_[0-9a-f]{24}`)

// pay pays a charge, given by its identifier or its link. Other commands can use the stack
// meanwhile.
func pay(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 || !chargeID.MatchString(args[0]) {
		return errors.New("pay takes the identifier of one charge, ch_ and 24 hex digits, or its link")
	}
	var s *stack.Stack
	err := locked(ctx, io.Discard, stack.Options{}, func(opened *stack.Stack) error {
		s = opened
		return nil
	})
	if err != nil {
		return err
	}
	return s.PayCharge(ctx, chargeID.FindString(args[0]), func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) })
}
