import { describe, expect, it } from 'vitest';
import { GroupVersionKind } from '../meta/group-version.ts';
import { parseAccept, parseContentType } from './media-type.ts';
import { defaultRestrictions, negotiateInput, negotiateOutput, negotiateStream, wantsPretty } from './negotiate.ts';

const json = { mediaType: 'application/json', streams: true };
const yaml = { mediaType: 'application/yaml', streams: false };
const protobuf = { mediaType: 'application/vnd.kubernetes.protobuf', streams: true };
const supported = [json, yaml, protobuf];
const names = supported.map(({ mediaType }) => mediaType);

const tables = {
  ...defaultRestrictions,
  allowsTransform: (_: string, target?: GroupVersionKind) => target?.kind !== 'Nonsense',
};

describe('an Accept header', () => {
  it.each<[accept: string, accepted: object | undefined]>([
    ['', json],
    ['application/yaml', yaml],
    ['*/*', json],
    ['*', json],
    ['application/*', json],
    ['text/html, application/xml;q=0.9, */*;q=0.8', json],
    ['application/json;q=0.5, application/yaml', yaml],
    ['application/json, application/vnd.kubernetes.protobuf', json],
    ['application/vnd.kubernetes.protobuf,application/json', protobuf],
    ['application/json;charset=utf-8', json],
    ['*/*;q=0.1, application/yaml;q=0.1', yaml],
    ['application/xml', undefined],
    ['application/cbor', undefined],
    ['application', undefined],
    ['application/json/x', undefined],
    ['application/json;stream=watch', json],
    ['application/json;stream=other', undefined],
    ['application/yaml;stream=watch', undefined],
    ['application/json;as=Table;g=meta.k8s.io;v=v1', undefined],
    ['application/json;as=Table;g=meta.k8s.io;v=v1, application/yaml', yaml],
    ['application/json;sv=v2', undefined],
  ])('%j', (accept, accepted) => {
    expect(negotiateOutput(accept, supported).accepted).toBe(accepted);
  });

  it('has parameters for the kind, indentation and profile', () => {
    expect(negotiateOutput('application/json;as=Table;v=v1;g=meta.k8s.io;pretty=1', supported, tables)).toEqual({
      accepted: json,
      convert: GroupVersionKind.of('meta.k8s.io', 'v1', 'Table'),
      pretty: true,
      stream: '',
      profile: '',
    });
    expect(
      negotiateOutput(
        'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer',
        supported,
        tables,
      ),
    ).toMatchObject({ convert: { kind: 'APIGroupDiscoveryList' }, profile: 'nopeer', pretty: false });
  });

  it('falls back to a clause that the endpoint allows', () => {
    const accept =
      'application/json;as=Nonsense;v=v1;g=x, application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, */*';
    expect(negotiateOutput(accept, supported, tables)).toMatchObject({ convert: { kind: 'PartialObjectMetadata' } });
  });

  it('gives a list of the supported types when none fits', () => {
    expect(negotiateOutput('text/plain', supported)).toEqual({ accepted: undefined, supported: names });
    expect(negotiateStream('text/plain', supported)).toEqual({
      accepted: undefined,
      supported: ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'],
    });
  });

  it('must name a type with streams for a watch', () => {
    expect(negotiateStream('application/vnd.kubernetes.protobuf;stream=watch', supported).accepted).toBe(protobuf);
    expect(negotiateStream('application/yaml', supported).accepted).toBeUndefined();
  });

  it('is parsed in linear time when it consists of spaces', () => {
    expect(parseAccept(`application/json${' '.repeat(1_000_000)}x, a/b`).map(({ type }) => type)).toEqual([
      'application',
      'a',
    ]);
  });

  it('is sorted by quality and by how specific it is', () => {
    const order = parseAccept('a/*;q=0.5, b/c;q=0.5, */*, d/e;q=0.7;x=1').map(
      ({ type, subtype }) => `${type}/${subtype}`,
    );
    // Unexpected, but upstream's order.
    expect(order).toEqual(['d/e', '*/*', 'b/c', 'a/*']);
  });
});

describe('a Content-Type header', () => {
  it.each([
    ['', json],
    ['application/json', json],
    ['Application/JSON; charset="utf-8"', json],
    ['application/yaml;', yaml],
    ['application/json; charset', undefined],
    ['application/json; a=1; a=2', undefined],
    ['application/json x', undefined],
    ['application/strategic-merge-patch+json', undefined],
    ['application/cbor', undefined],
    ['json', undefined],
  ])('%j', (contentType, accepted) => {
    const result = negotiateInput(contentType, supported);
    expect(result).toEqual(accepted ? { accepted } : { accepted: undefined, supported: names });
  });

  it('is parsed to its type without parameters', () => {
    expect(parseContentType(' application/json ; charset=utf-8 ; x="a;b\\"" ')).toBe('application/json');
  });
});

it.each([
  ['true', 'Go-http-client/2.0', true],
  ['0', 'curl/8.0', false],
  ['nonsense', 'curl/8.0', false],
  [undefined, 'curl/8.0', true],
  [undefined, 'Mozilla/5.0 (X11)', true],
  ['', 'Wget/1', true],
  [undefined, 'kubectl/v1.36', false],
])('pretty=%s from %s: %s', (query, userAgent, expected) => {
  expect(wantsPretty(query, userAgent)).toBe(expected);
});
