package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
)

// port is one listening port of a part.
type port struct {
	// name is unique in the stack.
	name string
	// usual is taken when it is free, unless the stack is private.
	usual int
}

// Free ports are taken from below the range that the kernel gives to outgoing
// connections, in blocks: whoever listens on a block's first port owns it.
const (
	firstPort = 20000
	lastPort  = 31999
	blockSize = 40
)

// Addr is the address (host:port) of a named port.
func (s *Stack) Addr(name string) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.ports[name]))
}

// url is a plain HTTP address of a named port.
func (s *Stack) url(name string) string { return "http://" + s.Addr(name) }

// assignPorts decides on every port: a running part keeps its ports, a port
// used before is used again, then the usual one, then any free one.
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
	for _, p := range parts() {
		if r, ok := s.record(p.name); ok && r.alive() {
			continue
		}
		for _, wanted := range p.ports {
			candidates := []int{remembered[wanted.name]}
			if !s.options.Private {
				candidates = append(candidates, wanted.usual)
			}
			s.ports[wanted.name] = s.firstFree(wanted.name, candidates, next)
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

func (s *Stack) firstFree(name string, candidates []int, next func() int) int {
	taken := map[int]bool{}
	for other, number := range s.ports {
		if other != name {
			taken[number] = true
		}
	}
	for _, number := range candidates {
		if number != 0 && !taken[number] && isFree(number) {
			return number
		}
	}
	for {
		if number := next(); !taken[number] && isFree(number) {
			return number
		}
	}
}

// freePorts yields candidates: the ports of an own block for a private stack,
// scattered ones otherwise.
func (s *Stack) freePorts() (func() int, error) {
	if !s.options.Private {
		return func() int { return firstPort + rand.IntN(lastPort-firstPort+1) }, nil //nolint:gosec // no secret
	}
	next, guard, err := ownBlock()
	s.guard = guard
	return next, err
}

// ownBlock takes a block of ports, until the guard is closed.
func ownBlock() (next func() int, guard net.Listener, err error) {
	for range 1000 {
		block := firstPort + blockSize*rand.IntN((lastPort-firstPort+1)/blockSize) //nolint:gosec // no secret
		if guard, err = listen(block); err != nil {
			continue
		}
		number := block
		return func() int { number++; return number }, guard, nil
	}
	return nil, nil, fmt.Errorf("no free block of %d ports from %d to %d", blockSize, firstPort, lastPort)
}

// OwnPorts is for servers of tests beside a stack: next yields ports of
// 127.0.0.1 that no private stack takes, at most 39, until release is closed.
func OwnPorts() (next func() int, release io.Closer, err error) {
	block, guard, err := ownBlock()
	if err != nil {
		return nil, nil, err
	}
	return func() int {
		for {
			if number := block(); isFree(number) {
				return number
			}
		}
	}, guard, nil
}

func listen(number int) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(number)))
}

func isFree(number int) bool {
	l, err := listen(number)
	if err != nil {
		return false
	}
	return l.Close() == nil
}
