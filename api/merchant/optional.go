package merchant

// orEmpty is the text, or empty when there is none.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
