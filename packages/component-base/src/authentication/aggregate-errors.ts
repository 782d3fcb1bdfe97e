import { messageOf } from '@coxswain/apimachinery/errors';
/**
 * Combines several errors into one AggregateError with upstream's wording: duplicates of a message are dropped, a
 * single message stands alone, several become `[a, b]`. Nested AggregateErrors are flattened.
 */
export function aggregateErrors(errors: readonly unknown[]): AggregateError {
  const flat = errors.flatMap((error): unknown[] => (error instanceof AggregateError ? error.errors : [error]));
  const messages = [...new Set(flat.map(messageOf))];
  return new AggregateError(flat, messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`);
}
