package sheet

import "math/big"

// Chart is a small picture of numbers, one bar for each.
type Chart struct {
	// Label describes in words what the bars show.
	Label string
	Bars  []Bar
	// First and Last are the texts below the first and the last bar.
	First, Last string
}

// Bar is one number.
type Bar struct {
	// Text describes the number.
	Text string
	// X, Y and Height are its position and size, in units of the picture.
	X, Y, Height int
}

// Sizes in units of the picture: each bar takes barStep, of which BarWidth is drawn.
const (
	barStep     = 10
	BarWidth    = 7
	ChartHeight = 60
)

// Width returns the width of the picture.
func (c *Chart) Width() int { return len(c.Bars) * barStep }

// Tall returns the height of the picture.
func (*Chart) Tall() int { return ChartHeight }

// Broad returns the width of a bar.
func (*Chart) Broad() int { return BarWidth }

// NewChart draws values that are not negative; texts describe them.
func NewChart(label string, values []*big.Int, texts []string) *Chart {
	c, most := &Chart{Label: label, Bars: make([]Bar, len(values))}, big.NewInt(1)
	for _, v := range values {
		if v.Cmp(most) > 0 {
			most = v
		}
	}
	for i, v := range values {
		height := new(big.Int).Mul(v, big.NewInt(ChartHeight))
		tall := int(height.Div(height, most).Int64())
		if v.Sign() > 0 {
			tall = max(tall, 1)
		}
		c.Bars[i] = Bar{Text: texts[i], X: i * barStep, Y: ChartHeight - tall, Height: tall}
	}
	return c
}
