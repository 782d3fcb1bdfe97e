import { describe, expect, it } from 'vitest';
import { pemBlocks, pemText } from './pem.ts';

describe('PEM', () => {
  const block = '-----BEGIN X-----\nYWJj\n-----END X-----\n';
  const types = (text: string) =>
    [...pemBlocks(text)].map(({ type, bytes: content }) => `${type}:${Buffer.from(content)}`);

  it.each([
    ['an empty text', '', []],
    ['a block', block, ['X:abc']],
    ['blocks with text between them', `a\n${block}b\n${block}`, ['X:abc', 'X:abc']],
    ['a block without a last newline', block.trimEnd(), ['X:abc']],
    ['a block in the middle of a line', `a${block}`, []],
    ['a block whose end has another name', '-----BEGIN X-----\nYWJj\n-----END Y-----\n', []],
    ['the last beginning before an end', `-----BEGIN Y-----\n${block}`, ['X:abc']],
    ['a broken block before a good one', `-----BEGIN X-----\n!\n-----END X-----\n${block}`, ['X:abc']],
    ['carriage returns and spaces', block.replaceAll('\n', ' \r\n'), ['X:abc']],
    ['headers', block.replace('\n', '\nA: b\nC: d\n\n'), ['X:abc']],
    ['a block that is empty', '-----BEGIN X-----\n-----END X-----', ['X:']],
    ['text after the end marker', block.replace('END X-----', 'END X-----x'), []],
  ])('of %s is read as Go reads it', (_, text, found) => {
    expect(types(text)).toEqual(found);
  });

  it.each([0, 1, 48, 49, 200])('of %i bytes is written in lines of 64 characters, and read again', (length) => {
    const bytes = new Uint8Array(length).fill(7);
    const text = pemText('X', bytes);
    expect(text.split('\n').every((line) => line.length <= 64)).toBe(true);
    expect([...pemBlocks(text)]).toEqual([{ type: 'X', hasHeaders: false, bytes }]);
  });
});
