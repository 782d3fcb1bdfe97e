export const emptyError = (): string => 'must be non-empty';

export const maxLenError = (length: number, unit: 'characters' | 'bytes' = 'characters'): string =>
  `must be no more than ${length} ${unit}`;

export const inclusiveRangeError = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`;

/** Returns a message with the form that a value must have, with examples and the regular expression. */
export function regexError(message: string, pattern: string, ...examples: string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (${shown && `e.g. ${shown}`}regex used for validation is '${pattern}')`;
}
