import { describe, expect, it } from 'vitest';
import { isLatestImage } from './image-name.ts';

const sha256 = `sha256:${'a'.repeat(64)}`;
const latest = [
  'nginx',
  'nginx:latest',
  'a/b',
  'localhost/x',
  'localhost:5000/x:latest',
  'Localhost/x',
  'docker.io/x',
  'index.docker.io/x:latest',
  'a__b',
  'a--b',
  'a.b',
  '[::1]:5000/x',
  '1.2.3.4/x',
  'example.com:80/a/b/c:latest',
  `x:latest@${sha256}`,
  `x:latest@sha512:${'0'.repeat(128)}`,
  'g'.repeat(64),
];
const others = [
  'nginx:1',
  'x:Latest',
  `x@${sha256}`,
  `x:latest@${sha256.toUpperCase()}`,
  `x:latest@md5:${'0'.repeat(32)}`,
  'x:latest@',
  'x@',
  'x:',
  'x/Y',
  'a___b',
  'a._b',
  'a-',
  '-a',
  'docker.io/',
  'example.com:/a',
  'a//b',
  'x/',
  '/x',
  ' x',
  'x ',
  '',
  'a'.repeat(64),
  'a'.repeat(300),
  `x:${'t'.repeat(129)}`,
];

describe('isLatestImage', () => {
  it.each(latest)('is true for %j', (image) => expect(isLatestImage(image)).toBe(true));
  it.each(others)('is false for %j', (image) => expect(isLatestImage(image)).toBe(false));

  it('is fast for long texts that are not image names', () => {
    expect(isLatestImage('a-'.repeat(100_000))).toBe(false);
    expect(isLatestImage(`${'a.'.repeat(290)}/`)).toBe(false);
  });
});
