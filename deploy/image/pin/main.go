// Command pin writes the digests of images next to their tags in the compose file and the
// Dockerfiles, so that the tested images are the ones that run: a person with the registry's
// account can move a tag, but not a digest. With the images it updates the date as of which
// Debian's packages are installed.
//
//	pin           asks the registries and rewrites the files
//	pin -check    exits with 1 when an image has no digest
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// patience is the maximum time for one answer of a registry.
const patience = 30 * time.Second

func main() {
	check := flag.Bool("check", false, "only say which images have no digest")
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	if err := run(context.Background(), *root, *check); err != nil {
		fmt.Fprintln(os.Stderr, "pin:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string, check bool) error {
	files, err := filepath.Glob(filepath.Join(root, "deploy", "image", "*.Dockerfile"))
	if err != nil {
		return err
	}
	files = append(files, filepath.Join(root, "docker-compose.yml"))
	if check {
		return checkFiles(files)
	}
	registry := &registry{client: &http.Client{Timeout: patience}, base: func(host string) string { return "https://" + host }}
	return renew(ctx, files, registry, time.Now().UTC())
}

// checkFiles returns an error that lists the images without a digest.
func checkFiles(files []string) error {
	var missing []error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, image := range imagesIn(string(text)) {
			if image.digest == "" {
				missing = append(missing, fmt.Errorf("%s: %s:%s has no digest: run make images", file, image.name, image.tag))
			}
		}
	}
	return errors.Join(missing...)
}

// snapshot matches the time as of which a Dockerfile installs Debian's packages.
var snapshot = regexp.MustCompile(`DEBIAN_SNAPSHOT=[0-9]{8}T[0-9]{6}Z`)

// renew writes the current digests of the tags, and the date. It queries all registries before
// it changes any file.
func renew(ctx context.Context, files []string, from *registry, now time.Time) error {
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if texts[file], err = pinned(string(text), func(i image) (string, error) { return from.digest(ctx, i) }); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		texts[file] = snapshot.ReplaceAllString(texts[file], now.Format("DEBIAN_SNAPSHOT=20060102T000000Z"))
	}
	for file, text := range texts {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil { //nolint:gosec // files of the repository
			return err
		}
	}
	return nil
}

// image is a reference to an image that is not built here.
type image struct {
	// name has no registry for images of Docker Hub; digest is sha256:… or empty.
	name, tag, digest string
}

// reference finds images in both kinds of files. Images that are built here are named
// durapay….
var reference = regexp.MustCompile(`(?m)^(FROM |\s+image: )([a-z0-9][a-z0-9./_-]*):([A-Za-z0-9_][A-Za-z0-9._-]*)(?:@(sha256:[0-9a-f]{64}))?`)

func imageOf(match []string) (image, bool) {
	i := image{name: match[2], tag: match[3], digest: match[4]}
	return i, !strings.HasPrefix(i.name, "durapay")
}

// imagesIn returns the images that a file names, in order.
func imagesIn(text string) []image {
	var list []image
	for _, match := range reference.FindAllStringSubmatch(text, -1) {
		if i, foreign := imageOf(match); foreign {
			list = append(list, i)
		}
	}
	return list
}

func pinned(text string, digest func(image) (string, error)) (string, error) {
	var failed error
	out := reference.ReplaceAllStringFunc(text, func(found string) string {
		match := reference.FindStringSubmatch(found)
		i, foreign := imageOf(match)
		if !foreign || failed != nil {
			return found
		}
		fresh, err := digest(i)
		if err != nil {
			failed = fmt.Errorf("%s:%s: %w", i.name, i.tag, err)
			return found
		}
		return match[1] + i.name + ":" + i.tag + "@" + fresh
	})
	return out, failed
}

func (i image) where() (host, repository string) {
	first, rest, found := strings.Cut(i.name, "/")
	if found && strings.Contains(first, ".") {
		return first, rest
	}
	if !found {
		return dockerHub, "library/" + i.name
	}
	return dockerHub, i.name
}
