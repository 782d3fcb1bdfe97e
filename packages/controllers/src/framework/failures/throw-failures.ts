import { messageOf } from '@coxswain/apimachinery/errors';

/** Throws a single failure as it is and several as an AggregateError. Its message contains each distinct message once. */
export function throwFailures(failures: readonly unknown[]): void {
  if (failures.length === 0) return;
  if (failures.length === 1) throw failures[0];
  const messages = [...new Set(failures.map(messageOf))];
  throw new AggregateError(failures, messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`);
}
