package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/durapay/durapay/internal/sanctions"
)

type sanctionsCmd struct {
	Accept struct{} `cmd:"" help:"Put the list in force that was refused because it lost more than half of its entries."`
	Status struct{} `cmd:"" help:"Show the list in force and the one that waits for acceptance."`
	Check  checkCmd `cmd:"" help:"Read a list from a file and show what is in it. Changes nothing."`
}

// printLists prints both lists, one per line.
func printLists(ctx context.Context, r sanctions.Register) error {
	lists, err := r.Lists(ctx)
	if err != nil {
		return err
	}
	if len(lists) == 0 {
		fmt.Println("no list was read yet")
	}
	for _, l := range lists {
		issued := "on a day that it does not tell"
		if l.PublishedAt != nil {
			issued = "on " + l.PublishedAt.Format(time.DateOnly)
		}
		fmt.Printf("%s: %d addresses, issued %s, last read %s, SHA-256 %x\n",
			l.State, l.Entries, issued, l.CheckedAt.Format(time.RFC3339), l.Digest)
	}
	return nil
}

type checkCmd struct {
	File string `arg:"" help:"sdn.xml or sdn_advanced.xml." type:"existingfile"`
}

// Run counts the addresses of each asset.
func (c *checkCmd) Run() error {
	f, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	list, err := sanctions.Parse(f)
	if err != nil {
		return err
	}
	for _, count := range list.Assets() {
		fmt.Printf("%-8s %d\n", count.Asset, count.Addresses)
	}
	fmt.Printf("%-8s %d\n", "all", len(list.Entries))
	return nil
}
