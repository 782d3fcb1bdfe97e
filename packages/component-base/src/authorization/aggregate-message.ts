/** Joins error messages as upstream does: each text once, in brackets when there are more than one. */
export function aggregateMessage(messages: readonly string[]): string {
  const distinct = new Set(messages);
  return distinct.size > 1 ? `[${[...distinct].join(', ')}]` : (messages[0] ?? '');
}
