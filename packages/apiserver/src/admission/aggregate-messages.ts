/** Combines messages without duplicates: `[a, b]`, or the only one. */
export function aggregateMessages(messages: readonly string[]): string {
  const different = [...new Set(messages)];
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`;
}
