/** Several messages as one, repeated ones once: `[a, b]`, or just the one. */
export function aggregateMessages(messages: readonly string[]): string {
  const different = [...new Set(messages)];
  return different.length === 1 ? different[0]! : `[${different.join(', ')}]`;
}
