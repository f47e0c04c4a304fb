package charge

import (
	"errors"
	"strconv"
	"strings"

	"github.com/durapay/durapay/internal/money"
)

// MaxConfirmations is the highest number of blocks that a payment may need.
const MaxConfirmations = 1000

// ErrSteps says that a text does not name steps of confirmations.
var ErrSteps = errors.New("want LIMIT:BLOCKS,…,*:BLOCKS with rising limits above 0, blocks from 1 to 1000 that do not fall, and * last")

// Steps say how many blocks a payment needs by the fiat value of its charge.
// Without steps the number is the same for every amount.
type Steps []Step

// Step is one line of Steps.
type Step struct {
	// UpTo is the highest fiat value, inclusive, that the step is for; nil in
	// the last one, which is for all that is left.
	UpTo   *money.Decimal
	Blocks int32
}

// UnmarshalText reads "20:2,200:5,*:10": 2 blocks up to 20, 5 up to 200, 10
// above. An empty text is no steps; ErrSteps for anything else.
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

// mayEnd says whether the step may follow those that there are.
func (s Steps) mayEnd(next Step) bool {
	if len(s) == 0 {
		return true
	}
	last := s[len(s)-1]
	return last.UpTo != nil && next.Blocks >= last.Blocks && (next.UpTo == nil || next.UpTo.Cmp(*last.UpTo) > 0)
}

// For is the number of blocks for a fiat value. A value that is not known
// (nil) is taken for the highest.
func (s Steps) For(value *money.Decimal) int32 {
	for _, step := range s {
		if step.UpTo == nil || (value != nil && value.Cmp(*step.UpTo) <= 0) {
			return step.Blocks
		}
	}
	return MaxConfirmations // not reached: the last step has no limit
}
