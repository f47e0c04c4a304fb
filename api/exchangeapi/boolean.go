package exchangeapi

// ParseBoolean reads True, true, False, false or nothing, which is false.
func ParseBoolean(text string) (value, ok bool) {
	switch text {
	case "true", "True":
		return true, true
	case "false", "False", "":
		return false, true
	default:
		return false, false
	}
}
