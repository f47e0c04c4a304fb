package stack

import "context"

// mailSink receives the mails of the services and shows them.
func mailSink() part {
	return part{
		name:    "mail",
		ports:   []port{{"smtp", 1025}, {"mail", 8025}},
		prepare: prepareTool,
		command: func(s *Stack) (command, error) {
			path, err := s.devTool(context.Background())
			return command{path: path, args: []string{"mail", "-smtp", s.Addr("smtp"), "-http", s.Addr("mail")}}, err
		},
		ready: func(ctx context.Context, s *Stack) error {
			if err := dial(ctx, s.Addr("smtp")); err != nil {
				return err
			}
			return ok(ctx, s.url("mail")+"/messages")
		},
		env: func(s *Stack) map[string]string {
			return map[string]string{"MAIL_URL": s.url("mail")}
		},
	}
}
