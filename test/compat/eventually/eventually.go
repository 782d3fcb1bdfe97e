// Package eventually waits for what comes true by and by.
package eventually

import (
	"context"
	"fmt"
	"time"
)

// NoError asks until there is no error, or gives the last one when the time is over.
func NoError(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
