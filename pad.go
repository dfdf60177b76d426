package arena

const (
	arenaPad   = 16
	accountPad = 64 - 8 - 8
)
