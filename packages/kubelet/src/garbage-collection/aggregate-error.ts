import { messageOf } from '@coxswain/apimachinery/errors';

/** Returns one error for several, with the message that Go's aggregates have. Undefined if there are none. */
export function aggregateError(errors: readonly unknown[], prefix = ''): Error | undefined {
  if (errors.length === 0) return undefined;
  const messages = [...new Set(errors.map(messageOf))];
  const [only] = messages;
  const message = messages.length === 1 ? only : `[${messages.join(', ')}]`;
  return new Error(`${prefix}${message}`, { cause: errors.length === 1 ? errors[0] : new AggregateError(errors) });
}
