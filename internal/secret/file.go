package secret

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// createFile writes a new file of mode 0600 in one step: after a crash it is
// either complete or missing. It returns fs.ErrExist if the file exists.
func createFile(path string, content []byte) error { return publish(path, content, os.Link) }

// publish writes a file under another name, and moves it: os.Rename replaces a file that
// exists.
func publish(path string, content []byte, move func(from, to string) error) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // has mode 0600
	if err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, writeErr := temp.Write(content)
	err = errors.Join(writeErr, temp.Sync(), temp.Close())
	if err == nil {
		err = move(temp.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("write key file: %w", err)
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockDir takes the exclusive lock of the folder that contains path.
func lockDir(path string) (unlock func(), err error) {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("lock key file: %w", err)
	}
	if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX); err != nil {
		return nil, fmt.Errorf("lock key file: %w", errors.Join(err, d.Close()))
	}
	return func() { _ = d.Close() }, nil
}
