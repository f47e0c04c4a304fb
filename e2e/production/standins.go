//go:build linux

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/e2e/fixture"
)

// standIns makes an image for each one that the files of an installation name
// and that is not built of this repository, under the same name and tag.
type standIns struct {
	engine *engine
	// root is the repository.
	root   string
	images []standIn
}

type standIn struct{ name, tag string }

func (i standIn) String() string { return i.name + ":" + i.tag }

// foreign finds third-party images in the compose file and the Dockerfiles.
var foreign = regexp.MustCompile(`(?m)^(?:FROM|\s+image:) ([a-z0-9][a-z0-9./_-]*):([A-Za-z0-9_][A-Za-z0-9._-]*)(@sha256:[0-9a-f]{64})`)

// deploymentFiles are those that name images.
func deploymentFiles(root string) []string {
	files := fixture.Must(filepath.Glob(filepath.Join(root, "deploy", "image", "*.Dockerfile")))
	return append(files, filepath.Join(root, "docker-compose.yml"))
}

func imagesNamed(root string) []standIn {
	var images []standIn
	for _, file := range deploymentFiles(root) {
		for _, found := range foreign.FindAllStringSubmatch(string(fixture.Must(os.ReadFile(file))), -1) {
			if image := (standIn{found[1], found[2]}); !slices.Contains(images, image) {
				images = append(images, image)
			}
		}
	}
	// Debian's images come first, because other images begin with them.
	slices.SortFunc(images, func(a, b standIn) int {
		if debian := map[bool]int{true: -1}; (a.name == "debian") != (b.name == "debian") {
			return debian[a.name == "debian"]*2 + 1
		}
		return strings.Compare(a.String(), b.String())
	})
	return images
}

// make makes them all. One of which nothing is known here is an error: the
// installation would ask the internet for it.
func (s *standIns) make(ctx context.Context) {
	s.images = imagesNamed(s.root)
	s.monero(ctx)
	for _, image := range s.images {
		made := map[string]func(context.Context, standIn){
			"debian":                 s.debian,
			"golang":                 s.golang,
			"postgres":               s.dockerfile("postgres.Dockerfile", "postgres"),
			"temporalio/server":      s.temporal,
			"temporalio/admin-tools": s.temporal,
			"temporalio/ui":          s.temporal,

			"gcr.io/distroless/static-debian12": s.dockerfile("distroless.Dockerfile", "postgres"),
		}[image.name]
		fixture.Requiref(made != nil, "deploy/test-images has no stand-in of %s", image)
		made(ctx, image)
		fixture.Sayf("%s", image)
	}
}

func (s *standIns) script(name string) string {
	return filepath.Join(s.root, "deploy", "test-images", name)
}

// moneroFolder holds what monero.sh makes.
func (s *standIns) moneroFolder() string { return s.engine.path("monero") }

// monero makes the release once.
func (s *standIns) monero(ctx context.Context) {
	if _, err := os.Stat(moneroArchive(s.moneroFolder())); err == nil {
		return
	}
	fixture.Must(s.engine.run(ctx, s.root, s.script("monero.sh"), moneroVersion, s.moneroFolder()))
}

// moneroVersion is that of deploy/image/monero.Dockerfile.
const moneroVersion = "0.18.5.3"

func moneroArchive(folder string) string {
	return filepath.Join(folder, "release", "monero-linux-x64-v"+moneroVersion+".tar.bz2")
}

// debian makes a base image only once, because its packages would change each day.
func (s *standIns) debian(ctx context.Context, image standIn) {
	if _, err := s.engine.docker(ctx, "image", "inspect", image.String()); err == nil {
		return
	}
	suite, _, _ := strings.Cut(image.tag, "-")
	fixture.Must(s.engine.run(ctx, s.root, s.script("base.sh"), suite, image.String(), filepath.Join(s.moneroFolder(), "over")))
}

func (s *standIns) golang(ctx context.Context, image standIn) {
	home := fixture.Must(exec.CommandContext(ctx, "go", "env", "GOROOT").Output()) // runtime.GOROOT is empty in a program built with -trimpath
	s.build(ctx, image, strings.TrimSpace(string(home)), "golang.Dockerfile")
}

// dockerfile builds in a folder of the scripts.
func (s *standIns) dockerfile(file, folder string) func(context.Context, standIn) {
	return func(ctx context.Context, image standIn) { s.build(ctx, image, s.script(folder), file) }
}

// build reaches packages through this machine's network, and nothing else.
func (s *standIns) build(ctx context.Context, image standIn, folder, file string, more ...string) {
	args := append([]string{"build", "--network", "host", "--tag", image.String(), "--file", s.script(file)}, more...)
	fixture.Must(s.engine.docker(ctx, append(args, folder)...))
}

// temporalImage is what the stand-in of one of Temporal's images is made of: a
// target of temporal.Dockerfile, programs that are built as Temporal's images
// have them, without C, and files of the first one's module.
type temporalImage struct {
	target   string
	programs []programs.Program
	module   string
	files    []string
}

// temporalImages are all three. The UI is the release that tools/temporal-ui
// pins: the checksum database does not know the one that the compose file names.
func temporalImages() map[string]temporalImage {
	return map[string]temporalImage{
		"temporalio/server": {
			"server", []programs.Program{programs.TemporalServer},
			"go.temporal.io/server", []string{"docker/scripts/sh/entrypoint.sh"},
		},
		"temporalio/admin-tools": {"admin-tools", []programs.Program{programs.TemporalSQLTool}, "", nil},
		"temporalio/ui": {
			"ui", []programs.Program{programs.TemporalUI},
			"github.com/temporalio/ui-server/v2", []string{"docker/start-ui-server.sh", "config/docker.yaml"},
		},
	}
}

// temporal puts into a folder what an image has, and makes the image.
func (s *standIns) temporal(ctx context.Context, image standIn) {
	made := temporalImages()[image.name]
	folder := s.engine.path("temporal/" + made.target)
	fixture.Do(os.MkdirAll(folder, 0o750))
	for _, p := range made.programs {
		s.withoutC(ctx, p, folder)
	}
	if made.target == "admin-tools" {
		s.command(ctx, folder)
	}
	for _, name := range made.files {
		at := s.moduleFolder(ctx, made.programs[0].Module, made.module)
		s.copy(ctx, filepath.Join(at, name), folder)
	}
	s.build(ctx, image, folder, "temporal.Dockerfile", "--target", made.target)
}

// withoutC builds a program of another module, once. With C it would ask the
// image for the name of its user, and stop.
func (s *standIns) withoutC(ctx context.Context, p programs.Program, folder string) {
	program := filepath.Join(folder, p.Name)
	if _, err := os.Stat(program); err == nil {
		return
	}
	fixture.Must(s.engine.run(ctx, s.root, "env", "CGO_ENABLED=0", "go", "build", "-C", p.Module, "-trimpath", "-ldflags=-s", "-o", program, p.Command))
}

// command is Temporal's, which the development stack has too.
func (s *standIns) command(ctx context.Context, folder string) {
	p := programs.Temporal
	fixture.Do(programs.Install(ctx, s.root, os.Stdout, []programs.Program{p}))
	found := fixture.Must(p.Find(s.root))
	s.copy(ctx, found, folder)
}

func (s *standIns) copy(ctx context.Context, from, folder string) {
	fixture.Must(s.engine.run(ctx, s.root, "cp", "-L", "--no-preserve=mode", from, folder))
}

// moduleFolder is where the files of a module are, in the version that a module
// of tools pins.
func (s *standIns) moduleFolder(ctx context.Context, pinnedBy, module string) string {
	out := fixture.Must(s.engine.run(ctx, filepath.Join(s.root, pinnedBy), "go", "mod", "download", "-json", module))
	var downloaded struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		fixture.Failf("go mod download: %w", err)
	}
	return downloaded.Dir
}

const (
	// mirrorHost is the address of the servers below, as builds see it.
	mirrorHost    = "127.80.80.80"
	snapshotHost  = "snapshot.debian.org"
	getmoneroHost = "downloads.getmonero.org"
)

// startMirror answers builds as Debian's archive of past days and Monero's downloads
// do, which cannot be reached everywhere. Of the archive it gives what Debian's
// mirror has today: the signatures of lists and packages are checked as ever. Monero's
// downloads are the files of a folder, with the certificate that trust has made.
func (d *day) startMirror(ctx context.Context, release string, certificate tls.Certificate) {
	for port, serve := range map[string]func(*http.Server, net.Listener) error{
		"80":  func(s *http.Server, l net.Listener) error { return s.Serve(l) },
		"443": func(s *http.Server, l net.Listener) error { return s.ServeTLS(l, "", "") },
	} {
		listener := fixture.Must(new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(mirrorHost, port)))
		server := &http.Server{
			Handler: mirror(release), ReadHeaderTimeout: 10 * time.Second,
			TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}},
		}
		d.ends = append(d.ends, server.Close)
		go func() { _ = serve(server, listener) }() // ends with close
	}
}

var ofADay = regexp.MustCompile(`^/archive/(debian(?:-security)?)/[0-9TZ]+/`)

func mirror(release string) http.Handler {
	debian := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: "deb.debian.org"})
		r.Out.URL.Path = ofADay.ReplaceAllString(r.In.URL.Path, "/$1/")
		r.Out.URL.RawPath = ""
	}}
	mux := http.NewServeMux()
	mux.Handle(snapshotHost+"/", debian)
	mux.Handle(getmoneroHost+"/cli/", http.StripPrefix("/cli/", http.FileServer(http.Dir(release))))
	return mux
}

// trust is the certificate of Monero's downloads, made once and written where an
// image's update-ca-certificates finds it.
func trust(certFile, keyFile string) tls.Certificate {
	if known, err := tls.LoadX509KeyPair(certFile, keyFile); err == nil {
		return known
	}
	key := fixture.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "stand-in of " + getmoneroHost},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(10, 0, 0), DNSNames: []string{getmoneroHost},
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate := fixture.Must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	private := fixture.Must(x509.MarshalPKCS8PrivateKey(key))
	for file, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: certificate}, keyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		fixture.Do(os.MkdirAll(filepath.Dir(file), 0o750))
		fixture.Do(os.WriteFile(file, pem.EncodeToMemory(block), 0o644)) //nolint:gosec // the key of nothing real
	}
	return fixture.Must(tls.LoadX509KeyPair(certFile, keyFile))
}
