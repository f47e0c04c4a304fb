package stack

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/durapay/durapay/internal/testkit"
)

// record is the stored state of a started part.
type record struct {
	process
	// Fingerprint is the fingerprint of the part's command.
	Fingerprint string `json:"fingerprint"`
	// Settled is set when the part's start is complete.
	Settled bool `json:"settled"`
	// Settings are the caller's variables at that time.
	Settings map[string]string `json:"settings,omitempty"`
}

func (s *Stack) recordFile(name string) string { return s.path("run", name+".json") }

func (s *Stack) record(name string) (record, bool) {
	var r record
	if !readJSON(s.recordFile(name), &r) {
		return record{}, false
	}
	return r, true
}

func (s *Stack) keep(name string, r record) error { return writeJSON(s.recordFile(name), r) }

func (s *Stack) forget(name string) error {
	err := os.Remove(s.recordFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readJSON reports whether a file was there and could be read.
func readJSON(path string, into any) bool {
	b, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(b, into) == nil
}

func writeJSON(path string, value any) error {
	b, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return writeFile(path, b)
}

// writeFile replaces a file atomically, so that a reader sees all or nothing. It does not
// touch a file with the same content. Only the owner may read the file.
func writeFile(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// makeSecret generates a secret, 64 hex digits, unless it exists.
func (s *Stack) makeSecret(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path("secrets", name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return writeFile(path, []byte(hex.EncodeToString(key)+"\n"))
}

// secret returns a secret, or another value that was stored like one; empty if there is none.
func (s *Stack) secret(name string) string {
	b, err := os.ReadFile(s.path("secrets", name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// port is one listening port of a part.
type port struct {
	// name is unique in the stack.
	name string
	// usual is used if it is free, unless the stack is private or another one is starting.
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
	usual := !s.options.Private && s.guardUsualPorts()
	for _, p := range parts(s.temporal) {
		if r, ok := s.record(p.name); ok && r.alive() {
			continue
		}
		for _, port := range p.ports {
			var candidates []int
			if last := remembered[port.name]; usual || last != port.usual {
				candidates = append(candidates, last)
			}
			if usual {
				candidates = append(candidates, port.usual)
			}
			if s.ports[port.name], err = s.firstFree(port.name, candidates); err != nil {
				return err
			}
		}
	}
	return writeJSON(s.path("ports.json"), s.ports)
}

// usualGuard is the port that the process which may give the usual ports listens on.
const usualGuard = "127.0.0.1:19999"

// guardUsualPorts reports whether this process may give the usual ports, until it ends: they
// have no listener until the parts start, which is minutes later where programs are built.
func (s *Stack) guardUsualPorts() bool {
	var config net.ListenConfig
	guard, err := config.Listen(context.Background(), "tcp", usualGuard)
	s.usual = guard
	return err == nil
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
