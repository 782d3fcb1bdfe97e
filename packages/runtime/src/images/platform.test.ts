import { expect, it } from 'vitest';
import { entriesFor } from './image-manifest.ts';
import { platformOf } from './platform.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const chosen = (machine: string, offered: readonly string[]): (string | undefined)[] => {
  const manifests = offered.map((text) => {
    const [os = '', architecture = '', variant = ''] = text.split('/');
    const platform = text === '' ? undefined : { os, architecture, variant };
    return { mediaType: text, digest, size: 1, platform, annotations: {} };
  });
  return entriesFor({ manifests }, platformOf(machine)).map(({ mediaType }) => mediaType);
};

it.each<[string, string[], string[]]>([
  ['x64', ['linux/arm64', 'linux/amd64', 'windows/amd64'], ['linux/amd64']],
  ['x64', ['linux/x86_64'], ['linux/x86_64']],
  ['x64', ['linux/amd64/v3'], []],
  ['arm64', ['linux/arm/v7', 'linux/arm64/v8', 'linux/arm/v6'], ['linux/arm64/v8', 'linux/arm/v7', 'linux/arm/v6']],
  ['arm', ['linux/arm/v5', 'linux/arm/v7', 'linux/arm64'], ['linux/arm/v7', 'linux/arm/v5']],
  ['s390x', ['linux/amd64'], []],
  ['x64', ['', 'linux/amd64'], ['linux/amd64', '']],
])('a machine with %s takes of %j: %j', (machine, offered, expected) => {
  expect(chosen(machine, offered)).toEqual(expected);
});
