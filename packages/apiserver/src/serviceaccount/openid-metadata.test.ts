import { parseVerificationKeys } from '@coxswain/client/jwt';
import type { ApiResponse } from '@coxswain/component-base/http';
import { describe, expect, it } from 'vitest';
import { newOpenIdMetadata } from './openid-metadata.ts';
import { upstreamKeys } from './upstream-keys.test-data.ts';

const keys = upstreamKeys.flatMap(({ pem }) => parseVerificationKeys(pem));
const text = ({ body }: ApiResponse): string => Buffer.from(body as Uint8Array).toString();

describe('newOpenIdMetadata', () => {
  it('makes the same configuration document as upstream', () => {
    const { configuration } = newOpenIdMetadata({ issuer: 'https://issuer', externalAddress: '1.2.3.4:6443', keys });
    expect(text(configuration)).toBe(
      '{"issuer":"https://issuer","jwks_uri":"https://1.2.3.4:6443/openid/v1/jwks","response_types_supported":["id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES256","ES384","ES512","RS256"]}',
    );
    expect([configuration.status, configuration.headers]).toEqual([
      200,
      { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' },
    ]);
  });

  it('makes the same key set as upstream', () => {
    const { keyset } = newOpenIdMetadata({ issuer: 'https://issuer', jwksUri: 'https://x/jwks', keys });
    expect(text(keyset)).toBe(`{"keys":[${upstreamKeys.map(({ jwk }) => jwk).join(',')}]}`);
    expect(keyset.headers).toEqual({
      'content-type': 'application/jwk-set+json',
      'cache-control': 'public, max-age=3600',
    });
  });

  it.each([
    ['', '', '', 'empty issuer URL'],
    ['https://i', '', '', 'either the JWKS URI or the default external address, or both, must be set'],
    ['http://i', '', 'a', 'issuer URL must use https scheme, got: http://i'],
    ['https://i?x=y', '', 'a', 'issuer URL may not include a query, got: https://i?x=y'],
    ['https://i#f', '', 'a', 'issuer URL may not include a fragment, got: https://i#f'],
    ['https://i', 'http://j', '', 'jwksURI requires https scheme, parsed as: http://j'],
    [
      'https://i',
      '',
      'https://h',
      'attempted to build jwks_uri from external address https://h, but could not construct a valid URL. Error: parse "https://https://h/openid/v1/jwks": invalid URL',
    ],
    ['kubernetes', '', 'a', 'parse "kubernetes": invalid URL'],
  ])('refuses the issuer %j with keys at %j, the server at %j', (issuer, jwksUri, externalAddress, message) => {
    expect(() => newOpenIdMetadata({ issuer, jwksUri, externalAddress, keys })).toThrow(new Error(message));
  });

  it('refuses an empty key set', () => {
    expect(() => newOpenIdMetadata({ issuer: 'https://i', externalAddress: 'a', keys: [] })).toThrow(
      'no keys provided for validating keyset',
    );
  });
});
