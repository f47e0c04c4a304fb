// Command capacity computes the resources for amounts of charges from the results of the
// benchmarks. It prints the table of docs/capacity.md.
//
//	go run ./deploy/capacity            # 1, 10, 100 and 10,000 times 1,000 charges a day
//	go run ./deploy/capacity 250        # 250 times
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	times, err := multiples(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	var plans []plan
	for _, n := range times {
		plans = append(plans, planFor(n))
	}
	fmt.Fprint(os.Stdout, table(plans...))
}

func multiples(args []string) ([]int, error) {
	if len(args) == 0 {
		return usual(), nil
	}
	list := make([]int, len(args))
	for i, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 || n > 1_000_000 {
			return nil, fmt.Errorf("%q is no multiple from 1 to 1,000,000", arg)
		}
		list[i] = n
	}
	return list, nil
}

// usual returns the multiples of docs/capacity.md.
func usual() []int { return []int{1, 10, 100, 10_000} }
