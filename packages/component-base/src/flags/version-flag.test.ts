import { describe, expect, it } from 'vitest';
import { printedVersion, versionFlag } from '../flags/version-flag.ts';

describe('--version', () => {
  it.each([
    ['true', 'print'],
    ['1', 'print'],
    ['raw', 'raw'],
    ['false', 'none'],
    ['v1.36.4', 'v1.36.4'],
    ['v1.36.4-vendor.1+build', 'v1.36.4-vendor.1+build'],
  ])('%s means %s', (text, wish) => {
    expect(versionFlag.read(text, undefined)).toBe(wish);
  });

  it.each([
    ['v1.35.0', 'version "v1.35.0" must match major/minor/patch of default version "v1.36.4"'],
    ['v1.36.40', 'version "v1.36.40" must match major/minor/patch of default version "v1.36.4"'],
    ['1.36.4-x', 'strconv.ParseBool: parsing "1.36.4-x": invalid syntax'],
  ])('%s is refused', (text, message) => {
    expect(() => versionFlag.read(text, undefined)).toThrow(message);
  });

  it('prints the version, or all of its parts as Go would', () => {
    expect(printedVersion('print')).toBe('Kubernetes v1.36.4\n');
    expect(printedVersion('raw')).toMatch(
      /^version\.Info\{Major:"1", Minor:"36", .*GitVersion:"v1\.36\.4", .*Platform:"[^"]+"\}\n$/,
    );
  });
});
