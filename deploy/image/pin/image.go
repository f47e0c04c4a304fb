package main

import (
	"fmt"
	"regexp"
	"strings"
)

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
