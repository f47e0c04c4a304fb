// The command count prints figures of the repository: packages, lines, words, places. It can
// measure another commit with the same program:
//
//	go run ./tools/count /path/to/another/checkout
//
// With -comments it lists the comment lines that need a second reading.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
)

func main() {
	comments := flag.Bool("comments", false, "list the comment lines that need a second reading")
	flag.Parse()
	folder := "."
	if flag.NArg() > 0 {
		folder = flag.Arg(0)
	}
	if err := run(context.Background(), folder, *comments); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

// run measures the files that git knows in a folder.
func run(ctx context.Context, folder string, comments bool) error {
	out, err := exec.CommandContext(ctx, "git", "-C", folder, "ls-files", "-z").Output()
	if err != nil {
		return fmt.Errorf("list files: %w", err)
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	w, err := measure(os.DirFS(folder), names)
	if err != nil {
		return err
	}
	if comments {
		for _, line := range w.unclear {
			fmt.Println(line)
		}
		return nil
	}
	return w.print(os.Stdout)
}

// print writes a line for each figure.
func (w *weight) print(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, figure int, rest string) { fmt.Fprintf(table, "%d\t  %s%s\n", figure, name, rest) }
	small, source := 0, 0
	for _, lines := range w.packages {
		source += lines
		if lines > 0 && lines < smallPackage {
			small++
		}
	}
	row("packages", len(w.packages), "")
	row("packages", small, fmt.Sprintf(" under %d lines of source", smallPackage))
	row("lines of source", source, ", written by hand")
	row("lines of tests", w.tests, "")
	row("generated lines", w.generated, "")
	row("lines of imports", w.imports, percent(w.imports, source)+" of source")
	row("words of documents", w.words, ", without merchants' guides, runbooks and checklists")
	row("places that start a workflow", w.starts, "")
	row("rows of phase tables", w.phases, "")
	row("comment lines", w.comments, "")
	row("of them need a second reading", len(w.unclear), percent(len(w.unclear), w.comments))
	for i, c := range constructions {
		row("  "+c.name, w.kinds[i], "")
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func percent(part, whole int) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf(", %.1f %%", 100*float64(part)/float64(whole))
}
