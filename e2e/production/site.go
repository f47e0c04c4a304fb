//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// site is the folder of an installation: the repository's files, and the files that
// an operator adds.
type site struct {
	engine *engine
	dir    string
	// disk holds the database, nil where its volume is an ordinary one.
	disk *disk
	// clocks are moved, nil where they are the machine's.
	clocks *clocks
}

// install copies the repository as an operator has it after cloning, but without
// the digests of images.
func (s *site) install(ctx context.Context, root string) error {
	if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil { //nolint:gosec // as a clone is: containers' users read what is mounted
		return err
	}
	copied := `git -C "$0" ls-files -z --cached --others --exclude-standard | (cd "$0" && xargs -0 -r ls -d 2>/dev/null | tr '\n' '\0') | tar -C "$0" --null -T - -cf - | tar -C "$1" --no-same-owner -xf -`
	if _, err := s.engine.run(ctx, root, "sh", "-c", copied, root, s.dir); err != nil {
		return err
	}
	files, err := deploymentFiles(s.dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		undigested := foreign.ReplaceAllStringFunc(string(text), func(line string) string {
			named, _, _ := strings.Cut(line, "@")
			return named
		})
		if err := os.WriteFile(file, []byte(undigested), 0o644); err != nil { //nolint:gosec // a file of the repository
			return err
		}
	}
	return nil
}

// write puts a file of the operator's into the folder.
func (s *site) write(name string, lines ...string) error {
	return os.WriteFile(filepath.Join(s.dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}

// read reads one, without the line's end.
func (s *site) read(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(s.dir, name))
	return strings.TrimSpace(string(content)), err
}

// compose runs docker compose in the folder, as the documents say it.
func (s *site) compose(ctx context.Context, args ...string) (string, error) {
	return s.engine.run(ctx, s.dir, "docker", append([]string{"compose"}, args...)...)
}

// admin runs a command for operators and reads its answer.
func (s *site) admin(ctx context.Context, answer any, args ...string) error {
	out, err := s.compose(ctx, append([]string{"run", "--rm", "-T", "admin"}, args...)...)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), answer); err != nil {
		return fmt.Errorf("admin %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// container is a line of `docker compose ps --all`.
type container struct {
	ID       string `json:"ID"`
	Name     string `json:"Name"`
	Service  string `json:"Service"`
	State    string `json:"State"`
	Health   string `json:"Health"`
	ExitCode int    `json:"ExitCode"`
}

func (s *site) containers(ctx context.Context) ([]container, error) {
	out, err := s.compose(ctx, "ps", "--all", "--format", "json")
	if err != nil {
		return nil, err
	}
	var list []container
	for lines := bufio.NewScanner(strings.NewReader(out)); lines.Scan(); {
		var c container
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("docker compose ps: %w", err)
		}
		list = append(list, c)
	}
	return list, nil
}

// healthy waits until every service that stays is healthy and every job has
// ended well.
func (s *site) healthy(ctx context.Context) ([]container, error) {
	var list []container
	var not []string
	err := until(ctx, "every health check is green", func() (bool, error) {
		var err error
		if list, err = s.containers(ctx); err != nil {
			return false, err
		}
		not = nil
		for _, c := range list {
			if c.State == "exited" && c.ExitCode == 0 || c.State == "running" && c.Health == "healthy" {
				continue
			}
			not = append(not, fmt.Sprintf("%s is %s %s (%d)", c.Service, c.State, c.Health, c.ExitCode))
		}
		return len(list) > 0 && len(not) == 0, nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.Join(not, ", "))
	}
	return list, nil
}

// down removes the containers and their data.
func (s *site) down(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.dir, "docker-compose.yml")); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	_, err := s.compose(ctx, "--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "10")
	return errors.Join(err, (&disk{s.engine}).unmount(ctx))
}
