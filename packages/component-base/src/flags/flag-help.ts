import type { Flag } from './flag.ts';

const width = 100;
const indent = 12;

/** A group of flags as `--help` prints it: each with its type, what it is about, and its default. */
export function flagGroupHelp(title: string, flags: Readonly<Record<string, Flag<unknown>>>): string {
  return `${title}:\n\n${Object.entries(flags)
    .map(([name, flag]) => described(name, flag))
    .join('\n')}`;
}

/** The names of flags, one after the other. */
export const flagNamesHelp = (flags: Readonly<Record<string, unknown>>): string =>
  wrapped(
    Object.keys(flags)
      .map((name) => `--${name}`)
      .join(' '),
    6,
  );

/** A text in lines that are not too long, each indented. */
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

/** Empty for a default that goes without saying. */
function shown(value: unknown): string {
  if (value === undefined || value === false || value === 0 || value === '0s') return '';
  if (value instanceof Map) return '';
  return Array.isArray(value) ? value.join(',') : String(value);
}
