/** Several errors in one message, as upstream joins them: each text once, in brackets when there are more than one. */
export function aggregateMessage(messages: readonly string[]): string {
  const distinct = new Set(messages);
  return distinct.size > 1 ? `[${[...distinct].join(', ')}]` : (messages[0] ?? '');
}
