package stack

import (
	"maps"
	"net"
	"strconv"

	"github.com/durapay/durapay/internal/testkit"
)

// port is one listening port of a part.
type port struct {
	// name is unique in the stack.
	name string
	// usual is used if it is free, unless the stack is private.
	usual int
}

// Addr returns the address (host:port) of a named port.
func (s *Stack) Addr(name string) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.ports[name]))
}

// url returns the plain HTTP address of a named port.
func (s *Stack) url(name string) string { return "http://" + s.Addr(name) }

// assignPorts chooses every port: a running part keeps its ports; otherwise the previous port
// is preferred, then the usual one, then any free one.
func (s *Stack) assignPorts() error {
	if !readJSON(s.path("ports.json"), &s.ports) || s.ports == nil {
		s.ports = map[string]int{}
	}
	remembered := maps.Clone(s.ports)
	// A private stack keeps this block until it stops, so that no other test gets its ports
	// while a part is down. The ports of a stack that outlives this process are only free at
	// this moment.
	var err error
	if s.block, err = testkit.ReservePorts(); err != nil {
		return err
	}
	for _, p := range parts(s.temporal) {
		if r, ok := s.record(p.name); ok && r.alive() {
			continue
		}
		for _, wanted := range p.ports {
			candidates := []int{remembered[wanted.name]}
			if !s.options.Private {
				candidates = append(candidates, wanted.usual)
			}
			if s.ports[wanted.name], err = s.firstFree(wanted.name, candidates); err != nil {
				return err
			}
		}
	}
	return writeJSON(s.path("ports.json"), s.ports)
}

func (s *Stack) firstFree(name string, candidates []int) (int, error) {
	taken := map[int]bool{}
	for other, number := range s.ports {
		if other != name {
			taken[number] = true
		}
	}
	for _, number := range candidates {
		if number != 0 && !taken[number] && testkit.IsFree(number) {
			return number, nil
		}
	}
	for {
		number, err := s.block.Port()
		if err != nil || !taken[number] {
			return number, err
		}
	}
}
