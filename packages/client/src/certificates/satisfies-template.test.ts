import { expect, it } from 'vitest';
import type { CertificateTemplate } from './certificate-request.ts';
import { satisfiesTemplate } from './satisfies-template.ts';
import { TestAuthority } from './test-authority.test-data.ts';

const pair = new TestAuthority().issue({
  commonName: 'system:node:a',
  organizations: ['system:nodes', 'others'],
  dnsNames: ['a', 'a.example'],
  ipAddresses: ['10.0.0.1', 'fd00::1'],
});

it.each<[sentence: string, template: Partial<CertificateTemplate>, expected: boolean]>([
  ['the subject alone', {}, true],
  ['another name', { commonName: 'system:node:b' }, false],
  ['one of its organizations', { organizations: ['system:nodes'] }, true],
  ['an additional organization', { organizations: ['system:nodes', 'more'] }, false],
  ['one of its host names', { dnsNames: ['a.example'] }, true],
  ['an additional host name', { dnsNames: ['a', 'b'] }, false],
  ['its addresses in another notation', { ipAddresses: ['fd00:0:0:0::1', '10.0.0.1'] }, true],
  ['an additional address', { ipAddresses: ['10.0.0.2'] }, false],
])('a certificate for %s', (_, template, expected) => {
  expect(satisfiesTemplate(pair, { commonName: 'system:node:a', ...template })).toBe(expected);
});
