import type { Flag } from './flag.ts';

const width = 100;
const indent = 12;

/** Formats a group of flags for `--help`: each with its type, description and default. */
export function flagGroupHelp(title: string, flags: Readonly<Record<string, Flag<unknown>>>): string {
  return `${title}:\n\n${Object.entries(flags)
    .map(([name, flag]) => described(name, flag))
    .join('\n')}`;
}

/** Formats the names of flags as wrapped lines. */
export const flagNamesHelp = (flags: Readonly<Record<string, unknown>>): string =>
  wrapped(
    Object.keys(flags)
      .map((name) => `--${name}`)
      .join(' '),
    6,
  );

/** Wraps a text into indented lines of at most 100 characters. */
export function wrapped(text: string, by = indent): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (by + line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => ' '.repeat(by) + line).join('\n');
}

function described(name: string, { type, about, byDefault }: Flag<unknown>): string {
  const value = shown(byDefault);
  return `      --${name}${type.name && ` ${type.name}`}\n${wrapped(value === '' ? about : `${about} (default ${value})`)}`;
}

/** Empty for zero values, as in pflag. */
function shown(value: unknown): string {
  if (value === undefined || value === false || value === 0 || value === '0s') return '';
  if (value instanceof Map) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}
