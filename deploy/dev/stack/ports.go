package stack

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
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
	remembered := s.rememberedPorts()
	s.ports = maps.Clone(remembered)
	if s.ports == nil {
		s.ports = map[string]int{}
	}
	next, err := s.freePorts()
	if err != nil {
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
			if s.ports[wanted.name], err = s.firstFree(wanted.name, candidates, next); err != nil {
				return err
			}
		}
	}
	b, err := json.Marshal(s.ports)
	if err != nil {
		return fmt.Errorf("ports: %w", err)
	}
	return writeFile(s.path("ports.json"), b)
}

func (s *Stack) rememberedPorts() map[string]int {
	var ports map[string]int
	b, err := os.ReadFile(s.path("ports.json"))
	if err != nil || json.Unmarshal(b, &ports) != nil {
		return nil
	}
	return ports
}

func (s *Stack) firstFree(name string, candidates []int, next func() (int, error)) (int, error) {
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
		number, err := next()
		if err != nil || !taken[number] {
			return number, err
		}
	}
}

// freePorts reserves a block of ports, which a private stack keeps until it stops, so that no
// other test gets them while a part is down. The ports of a stack that outlives this process
// are only free at this moment.
func (s *Stack) freePorts() (func() (int, error), error) {
	block, err := testkit.ReservePorts()
	if err != nil {
		return nil, err
	}
	s.block = block
	return block.Port, nil
}
