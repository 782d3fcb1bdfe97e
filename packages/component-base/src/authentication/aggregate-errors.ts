import { messageOf } from '@coxswain/apimachinery/errors';
/**
 * One error for many, none of them twice, worded as upstream words it: the message itself when there is one, else
 * `[a, b]`. What is already such an error is taken apart.
 */
export function aggregateErrors(errors: readonly unknown[]): AggregateError {
  const flat = errors.flatMap((error): unknown[] => (error instanceof AggregateError ? error.errors : [error]));
  const messages = [...new Set(flat.map(messageOf))];
  return new AggregateError(flat, messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`);
}
