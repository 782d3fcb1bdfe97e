import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formatTranscript, parseTranscript } from './transcript.ts';

const text = `Prose, over
two lines.

  $ cat <<EOF
  > a
  >
  > EOF
  a

  b
  [exit 1]

  $ true
`;

it('has the prose, the command and the output of each step', () => {
  expect(parseTranscript(text).steps).toEqual([
    { prose: 'Prose, over\ntwo lines.\n', command: 'cat <<EOF\na\n\nEOF', output: 'a\n\nb\n[exit 1]' },
    { prose: '', command: 'true', output: '' },
  ]);
});

it('throws for output without a command', () => {
  expect(() => parseTranscript('  output\n')).toThrow('output without a command:   output');
});

it('throws when output to write looks like a command', () => {
  expect(() => formatTranscript({ steps: [{ prose: '', command: 'x', output: 'a\n$ b' }] })).toThrow(
    'output that looks like a command: $ b',
  );
});

const folder = new URL('transcripts/', import.meta.url);
it.each(readdirSync(folder))('%s has the format of formatTranscript', (name) => {
  const recorded = readFileSync(new URL(name, folder), 'utf8');
  expect(formatTranscript(parseTranscript(recorded))).toBe(recorded);
});
