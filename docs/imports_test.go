package docs_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/durapay/durapay/tools/testseed"
)

const module = "github.com/durapay/durapay/"

// TestImportsGoDown checks the order of imports in docs/architecture.md, and that the API
// starts workflows and does not call activities.
func TestImportsGoDown(t *testing.T) {
	t.Parallel()
	floors := floorsOf(t)
	for name, files := range importsOfAll(t) {
		from, placed := floors.of(name)
		if !placed {
			continue
		}
		for _, file := range files {
			for _, path := range file.ours {
				to, placed := floors.of(path)
				switch {
				case !placed:
				case to.height < from.height:
					t.Errorf("%s imports %s: imports go one way, %s", file.path, path, floors.line)
				case to.height == from.height && to.folder != from.folder && !file.test:
					t.Errorf("%s imports %s: %s and %s are neighbours in %s", file.path, path, from.folder, to.folder, floors.line)
				case from.folder == "api" && to.folder == "activities" && !file.test:
					t.Errorf("%s imports %s: the API starts workflows and leaves activities to them", file.path, path)
				}
			}
		}
	}
}

// TestRoomsAreImportedByTheirDoor finds the rooms in the tables of docs/architecture.md and
// compares them with the folders next to them: a room has a function or method that begins
// with Register, or the door of the activities imports it to register its methods. Ground
// has neither. Within a floor, only its door imports a room.
func TestRoomsAreImportedByTheirDoor(t *testing.T) {
	t.Parallel()
	floors, all, rooms, doors := floorsOf(t), importsOfAll(t), map[string]bool{}, map[string]bool{}
	for _, row := range packageRows(t) {
		if strings.HasPrefix(row.is, "room: ") {
			rooms[row.name], doors[filepath.Dir(row.name)] = true, true
		}
	}
	require.Greater(t, len(rooms), 10, "docs/architecture.md has lost its rooms")
	for name, files := range all {
		registered := registers(t, name) || filepath.Dir(name) == "activities" && all.imports("activities", name)
		if doors[filepath.Dir(name)] && rooms[name] != registered {
			t.Errorf("docs/architecture.md calls %s a room: %t; it is registered: %t", name, rooms[name], registered)
		}
		from, _ := floors.of(name)
		for _, file := range files {
			for _, path := range file.ours {
				to, _ := floors.of(path)
				if rooms[path] && path != name && from == to && filepath.Dir(path) != name && !file.test {
					t.Errorf("%s imports %s: only %s imports this room; what two packages need is ground", file.path, path, filepath.Dir(path))
				}
			}
		}
	}
}

// imports reports whether a package imports another one, apart from its tests.
func (all tree) imports(from, to string) bool {
	return slices.ContainsFunc(all[from], func(f goFile) bool { return !f.test && slices.Contains(f.ours, to) })
}

// TestRulesDoNoInputOrOutput follows the imports of each package in the table "Rules, without
// input or output" of docs/architecture.md, and those of workflows, through all packages of
// this module.
func TestRulesDoNoInputOrOutput(t *testing.T) {
	t.Parallel()
	all, followed := importsOfAll(t), 0
	excepted := exceptions(t)
	for _, row := range packageRows(t) {
		if row.section == "Rules, without input or output" {
			for _, found := range all.effects(row.name, excepted) {
				t.Errorf("%s: rules do no input or output", found)
			}
			followed++
		}
	}
	require.Greater(t, followed, 10, "docs/architecture.md has lost its rules")
	for _, found := range all.effects("workflows", excepted) {
		t.Errorf("%s: workflows leave input and output to activities", found)
	}
	for edge, used := range excepted {
		if !used {
			t.Errorf("docs/architecture.md excepts the import %s, which nothing needs", edge)
		}
	}
}

// inputOrOutput matches packages, of the standard library or of other modules, that access
// files, processes, networks or databases.
var inputOrOutput = regexp.MustCompile(`^(net|net/http|net/smtp|net/rpc|os|os/exec|database/sql|github\.com/jackc/pgx/.*|` +
	`github\.com/wneessen/go-mail|go\.temporal\.io/sdk/(client|worker))$`)

// goFile is a file with its imports: packages of this module by their folder, other packages
// by their path.
type goFile struct {
	path           string
	test           bool
	ours, external []string
}

// tree has the files of each package by its folder.
type tree map[string][]goFile

// effects returns the import paths from a package to packages that do input or output, one
// path for each. It ignores paths through activities.
func (all tree) effects(name string, excepted excepted) (found []string) {
	ways := map[string]string{name: name}
	for next := []string{name}; len(next) > 0; next = next[1:] {
		if does := all.does(next[0]); len(does) > 0 {
			found = append(found, ways[next[0]]+" imports "+strings.Join(does, ", "))
		}
		for _, file := range all[next[0]] {
			for _, path := range file.ours {
				if file.test || ways[path] != "" || strings.HasPrefix(path, "activities/") || excepted.has(next[0], path) {
					continue
				}
				ways[path], next = ways[next[0]]+" imports "+path, append(next, path)
			}
		}
	}
	return found
}

// does returns the packages of input and output that a package imports directly.
func (all tree) does(name string) (found []string) {
	for _, file := range all[name] {
		for _, path := range file.external {
			if !file.test && inputOrOutput.MatchString(path) && !slices.Contains(found, path) {
				found = append(found, path)
			}
		}
	}
	return found
}

// excepted holds the imports that docs/architecture.md excepts, and whether each is needed.
type excepted map[string]bool

func (e excepted) has(from, to string) bool {
	edge := "`" + from + "` → `" + to + "`"
	_, is := e[edge]
	if is {
		e[edge] = true
	}
	return is
}

func exceptions(t *testing.T) excepted {
	t.Helper()
	found := excepted{}
	for _, edge := range regexp.MustCompile("`[a-z/]+` → `[a-z/]+`").FindAllString(strings.Join(strings.Fields(read(t, "architecture.md")), " "), -1) {
		found[edge] = false
	}
	return found
}

// floor is a folder in the order of imports, or a package with a place of its own in it. The
// command has height 0.
type floor struct {
	folder string
	height int
}

// floors are those of docs/architecture.md. line is the text that lists them.
type floors struct {
	list []floor
	line string
}

func floorsOf(t *testing.T) floors {
	t.Helper()
	found := regexp.MustCompile("Imports go one way: `([^`]+)`").FindStringSubmatch(read(t, "architecture.md"))
	require.NotNil(t, found, "docs/architecture.md has lost the floors of imports")
	all := floors{line: found[1]}
	for height, names := range strings.Split(found[1], " → ") {
		for folder := range strings.SplitSeq(names, ", ") {
			require.DirExists(t, filepath.Join("..", folder), "a floor of docs/architecture.md")
			all.list = append(all.list, floor{folder, height})
		}
	}
	return all
}

// of returns the last floor of the list that contains a package.
func (f floors) of(name string) (found floor, placed bool) {
	for _, floor := range f.list {
		if name == floor.folder || strings.HasPrefix(name, floor.folder+"/") {
			found, placed = floor, true
		}
	}
	return found, placed
}

// registers reports whether a package has a function or method whose name begins with Register.
func registers(t *testing.T, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", name, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		for _, function := range functionsOf(t, file) {
			if strings.HasPrefix(function[strings.LastIndex(function, ".")+1:], "Register") {
				return true
			}
		}
	}
	return false
}

// importsOfAll reads the imports of every package.
func importsOfAll(t *testing.T) tree {
	t.Helper()
	all := tree{}
	for _, name := range packages(t) {
		paths, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		require.NoError(t, err)
		for _, path := range paths {
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
			require.NoError(t, err)
			file := goFile{path: strings.TrimPrefix(path, "../"), test: strings.HasSuffix(path, "_test.go")}
			for _, spec := range parsed.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				if ours, is := strings.CutPrefix(imported, module); is {
					file.ours = append(file.ours, ours)
				} else {
					file.external = append(file.external, imported)
				}
			}
			all[name] = append(all[name], file)
		}
	}
	return all
}

// TestTheProgramHasNoTestHelpers follows the imports of cmd/durapay: none of its packages is for
// tests or the development stack.
func TestTheProgramHasNoTestHelpers(t *testing.T) {
	t.Parallel()
	all, reached := importsOfAll(t), []string{"cmd/durapay"}
	for i := 0; i < len(reached); i++ {
		require.NotRegexp(t, `^(deploy/dev|e2e|tools)\b`, reached[i])
		for _, file := range all[reached[i]] {
			if file.test {
				continue
			}
			require.NotContains(t, file.external, "testing", file.path)
			for _, path := range file.ours {
				if !slices.Contains(reached, path) {
					reached = append(reached, path)
				}
			}
		}
	}
	require.Greater(t, len(reached), 50)
}

// TestRandomTestsHaveASeed finds the packages whose tests draw random cases. Each imports
// tools/testseed, so that make test draws the same cases each time.
func TestRandomTestsHaveASeed(t *testing.T) {
	t.Parallel()
	random := 0
	for name, files := range importsOfAll(t) {
		draws, seeded := false, false
		for _, file := range files {
			draws = draws || file.test && slices.Contains(file.external, "pgregory.net/rapid")
			seeded = seeded || slices.Contains(file.ours, "tools/testseed")
		}
		if draws && !seeded {
			t.Errorf("the tests of %s draw other cases each time: import tools/testseed", name)
		}
		if draws {
			random++
		}
	}
	require.Greater(t, random, 10)
}
