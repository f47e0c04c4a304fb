package charge

import (
	"errors"
	"strconv"
	"strings"

	"github.com/durapay/durapay/internal/money"
)

// MaxConfirmations is the highest number of blocks that a payment may need.
const MaxConfirmations = 1000

// ErrSteps is returned for a text that is not a list of confirmation steps.
var ErrSteps = errors.New("want LIMIT:BLOCKS,…,*:BLOCKS with rising limits above 0, blocks from 1 to 1000 that do not fall, and * last")

// Steps define how many blocks a payment needs, by the fiat value of its
// charge. Without steps the number is the same for every amount.
type Steps []Step

// Step is one line of Steps.
type Step struct {
	// UpTo is the highest fiat value, inclusive, that the step covers; nil in the
	// last step, which covers all higher values.
	UpTo   *money.Decimal
	Blocks int32
}

// UnmarshalText reads "20:2,200:5,*:10": 2 blocks up to 20, 5 up to 200, 10
// above. An empty text means no steps. It returns ErrSteps for any other text.
func (s *Steps) UnmarshalText(text []byte) error {
	*s = nil
	if len(text) == 0 {
		return nil
	}
	var steps Steps
	for part := range strings.SplitSeq(string(text), ",") {
		step, err := parseStep(strings.TrimSpace(part))
		if err != nil || !steps.mayEnd(step) {
			return ErrSteps
		}
		steps = append(steps, step)
	}
	if steps[len(steps)-1].UpTo != nil {
		return ErrSteps
	}
	*s = steps
	return nil
}

func parseStep(text string) (Step, error) {
	limit, blocks, _ := strings.Cut(text, ":")
	n, err := strconv.ParseUint(blocks, 10, 31)
	if err != nil || n < 1 || n > MaxConfirmations {
		return Step{}, ErrSteps
	}
	step := Step{Blocks: int32(n)}
	if limit == "*" {
		return step, nil
	}
	upTo, err := money.ParseDecimal(limit)
	if err != nil || upTo.Sign() <= 0 {
		return Step{}, ErrSteps
	}
	step.UpTo = &upTo
	return step, nil
}

// mayEnd reports whether next may follow the steps in s.
func (s Steps) mayEnd(next Step) bool {
	if len(s) == 0 {
		return true
	}
	last := s[len(s)-1]
	return last.UpTo != nil && next.Blocks >= last.Blocks && (next.UpTo == nil || next.UpTo.Cmp(*last.UpTo) > 0)
}

// For returns the number of blocks for a fiat value. A value that is not known
// (nil) counts as the highest.
func (s Steps) For(value *money.Decimal) int32 {
	for _, step := range s {
		if step.UpTo == nil || (value != nil && value.Cmp(*step.UpTo) <= 0) {
			return step.Blocks
		}
	}
	return MaxConfirmations // not reached: the last step has no limit
}
