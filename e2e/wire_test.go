package e2e

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// wire stands between a service and PostgreSQL. It passes on one message after the
// other, but one can be trapped: held before the server has it, or when the server has
// answered it. Nothing passes on that connection any more then, until the service dies.
type wire struct {
	addr, server string

	mu   sync.Mutex
	trap *wireTrap
}

// wireTrap holds one message of a client.
type wireTrap struct {
	// reached is closed when the message is held, or its answer is.
	reached chan struct{}
	// port is that of the held connection at the server, once reached.
	port int
	// is reports whether the trap is for this message.
	is func(s *session, m message) bool
	// after is set where the server gets the message, and its answer is held.
	after  bool
	sprung bool
}

// startWire begins to pass on to a server; it ends with the test.
func startWire(t *testing.T, server string) *wire {
	t.Helper()
	w := &wire{server: server}
	w.addr = accept(t, w.carry)
	return w
}

// holdCommit traps the commit of the transaction that carries a text: after all of its
// statements have been passed on, one by one or in one batch.
func (w *wire) holdCommit(text string) *wireTrap { return w.set(false, ends(text)) }

// holdCommitted traps the answer to that commit.
func (w *wire) holdCommitted(text string) *wireTrap { return w.set(true, ends(text)) }

// holdStatement traps the next run of a statement whose SQL has a text.
func (w *wire) holdStatement(text string) *wireTrap {
	return w.set(false, func(_ *session, m message) bool { return strings.Contains(m.sql, text) })
}

func (w *wire) set(after bool, is func(*session, message) bool) *wireTrap {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trap = &wireTrap{reached: make(chan struct{}), after: after, is: is}
	return w.trap
}

// spring is the trap that a message springs; nil for none.
func (w *wire) spring(s *session, m message, port int) *wireTrap {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.trap == nil || w.trap.sprung || !w.trap.is(s, m) {
		return nil
	}
	w.trap.sprung, w.trap.port = true, port
	return w.trap
}

// carry serves a connection until one of both ends it.
func (w *wire) carry(client net.Conn) {
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	messages, gone := make(chan []byte, 1024), make(chan struct{})
	go func() {
		defer close(gone)
		defer close(messages)
		for from, next := bufio.NewReader(client), readStart; ; next = readMessage {
			m, err := next(from)
			if err != nil {
				return
			}
			messages <- m
		}
	}()
	held := make(chan *wireTrap, 1)
	go func() {
		defer func() { _ = client.Close() }()
		answer(client, server, held)
	}()
	s := &session{statements: map[string]string{}}
	for raw := range messages {
		trap := w.spring(s, s.follow(raw), server.LocalAddr().(*net.TCPAddr).Port)
		if trap != nil && !trap.after {
			close(trap.reached)
			<-gone
			return
		}
		if trap != nil {
			held <- trap
		}
		if _, err := server.Write(raw); err != nil {
			return
		}
	}
}

// answer passes on what the server answers, until a trap is set: then nothing, and the
// trap is reached when the server is done.
func answer(client io.Writer, server io.Reader, held <-chan *wireTrap) {
	var trap *wireTrap
	for from := bufio.NewReader(server); ; {
		m, err := readMessage(from)
		if err != nil {
			return
		}
		select {
		case trap = <-held:
		default:
		}
		if trap == nil {
			if _, err := client.Write(m); err != nil {
				return
			}
		} else if m[0] == kindReady {
			close(trap.reached)
			_, _ = io.Copy(io.Discard, from)
			return
		}
	}
}

// session is what a connection has said until now.
type session struct {
	// statements holds the SQL of prepared statements.
	statements map[string]string
	// begun is set while a transaction is open that ends with a statement.
	begun bool
	// marked is set once the transaction has carried the text that is looked for.
	marked bool
}

// message is one of a client. sql is what it runs; empty where it runs nothing.
type message struct {
	kind byte
	body []byte
	sql  string
}

// Kinds of messages: the last is the server's, which waits for the next.
const (
	kindQuery = 'Q'
	kindParse = 'P'
	kindBind  = 'B'
	kindSync  = 'S'
	kindReady = 'Z'
)

// follow notes what a message does to the connection.
func (s *session) follow(raw []byte) message {
	m := message{kind: raw[0], body: raw[5:]}
	switch m.kind {
	case kindQuery:
		m.sql, _ = text(m.body)
	case kindParse:
		name, rest := text(m.body)
		s.statements[name], _ = text(rest)
	case kindBind:
		_, rest := text(m.body)
		name, _ := text(rest)
		m.sql = s.statements[name]
	}
	switch firstWord(m.sql) {
	case "begin":
		s.begun, s.marked = true, false
	case "rollback":
		s.begun, s.marked = false, false
	}
	return m
}

// ends is what ends the transaction that carries a text.
func ends(text string) func(*session, message) bool {
	return func(s *session, m message) bool {
		s.marked = s.marked || m.sql != "" && bytes.Contains(m.body, []byte(text))
		return s.marked && (firstWord(m.sql) == "commit" || m.kind == kindSync && !s.begun)
	}
}

func firstWord(sql string) string {
	if words := strings.Fields(strings.ToLower(sql)); len(words) > 0 {
		return strings.TrimRight(words[0], ";")
	}
	return ""
}

// text is a text that ends with a zero, and what follows.
func text(b []byte) (string, []byte) {
	found, rest, _ := bytes.Cut(b, []byte{0})
	return string(found), rest
}

// readStart reads the message that opens a connection, which has no kind.
func readStart(from *bufio.Reader) ([]byte, error) { return readBehind(from, 0) }

func readMessage(from *bufio.Reader) ([]byte, error) { return readBehind(from, 1) }

// readBehind reads a message whose length stands behind so many bytes.
func readBehind(from *bufio.Reader, kind int) ([]byte, error) {
	head, err := from.Peek(kind + 4)
	if err != nil {
		return nil, err
	}
	m := make([]byte, kind+int(binary.BigEndian.Uint32(head[kind:])))
	_, err = io.ReadFull(from, m)
	return m, err
}
