// Package eventually waits for conditions to become true.
package eventually

import (
	"context"
	"fmt"
	"time"
)

// NoError calls ask until it returns no error. When the context ends, it returns the last error.
func NoError(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("timed out: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
