package arena

import (
	"testing"

	"github.com/ebbpool/arena/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
