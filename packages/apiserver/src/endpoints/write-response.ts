import { ApiError, type KubernetesObject, type ListMeta, type Status, toStatus } from '@coxswain/apimachinery';
import type { ApiResponse } from '@coxswain/component-base/http';
import type { ListPage } from '../registry/list-objects.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { listBody } from './list-body.ts';
import type { Representation } from './representation.ts';
import type { Presenter, ResourceScope } from './scope.ts';
import { asTable, partialMetadata } from './table.ts';

const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };

const headersFor = ({ serializer }: Representation): Record<string, string> =>
  serializer.mediaType === 'application/json'
    ? { ...jsonHeaders }
    : { 'content-type': serializer.mediaType, 'cache-control': 'no-cache, private' };

/** Returns whether the cached bytes can be sent as they are. */
export const isPlain = (scope: ResourceScope, { serializer, pretty, target }: Representation): boolean =>
  target === undefined && !pretty && serializer.mediaType === 'application/json' && scope.servesStoredBytes;

/** Returns a response with one stored object. */
export function objectResponse(
  scope: ResourceScope,
  status: number,
  stored: StoredObject,
  representation: Representation,
): ApiResponse {
  const headers = headersFor(representation);
  if (isPlain(scope, representation)) return { status, headers, body: stored.line };
  if (representation.target === 'Table' || representation.pretty) {
    const object = scope.registry.codec.decode(stored.line);
    return encodedResponse(status, presented(scope, object, representation), representation);
  }
  return { status, headers, body: encoded(scope, stored, representation) };
}

/** Returns the encoded object, cached with it. Not for Tables, which depend on the time. */
export function encoded(scope: ResourceScope, stored: StoredObject, representation: Representation): Buffer {
  return stored.variant(`${scope.kind.apiVersion} ${representation.name}`, () => {
    const object = scope.registry.codec.decode(stored.line);
    const bytes = representation.serializer.encode(presented(scope, object, representation));
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  });
}

/**
 * Throws NotAcceptable when the client requests a single object as a PartialObjectMetadataList, or a list as a
 * PartialObjectMetadata. Differs from upstream, which throws only after the write.
 */
export function assertPresentable(scope: Presenter, { target }: Representation, isList: boolean): void {
  if (target === 'PartialObjectMetadataList' && !isList) throw noList(scope);
  if (target === 'PartialObjectMetadata' && isList) throw noObject(scope);
}

/** Converts an object from its hub version to the requested representation. Throws NotAcceptable for a list. */
export function presented(scope: Presenter, hub: KubernetesObject, representation: Representation): object {
  const { target, targetVersion } = representation;
  switch (target) {
    case undefined:
      return scope.toVersion(hub);
    case 'Table':
      return asTable(scope, [hub], tableMeta(hub), representation);
    case 'PartialObjectMetadata':
      return partialMetadata(hub, targetVersion);
    case 'PartialObjectMetadataList':
      throw noList(scope);
  }
}

const tableMeta = ({ metadata }: KubernetesObject): ListMeta =>
  metadata?.resourceVersion ? { resourceVersion: metadata.resourceVersion } : {};

/** Returns a response with an object that is already in the requested version and representation. */
export function encodedResponse(status: number, object: object, representation: Representation): ApiResponse {
  const { serializer, pretty } = representation;
  return { status, headers: headersFor(representation), body: serializer.encode(object, { pretty }) };
}

/** Returns a response with a Status. The representation's target (Table …) does not apply to it. */
export function successResponse(status: Status, representation: Representation): ApiResponse {
  return encodedResponse(status.code ?? 200, status, representation);
}

/** Returns a response with a page of a list. */
export function listResponse(scope: ResourceScope, page: ListPage, representation: Representation): ApiResponse {
  const metadata: ListMeta = {
    resourceVersion: String(page.revision),
    ...(page.continue && { continue: page.continue }),
    ...(page.remaining && { remainingItemCount: page.remaining }),
  };
  if (isPlain(scope, representation)) {
    const { bytes, body } = listBody(scope, ofItems(scope, metadata), page.objects);
    return { status: 200, headers: { ...jsonHeaders, 'content-length': String(bytes) }, body };
  }
  const hubs = page.objects.map(({ line }) => scope.registry.codec.decode(line));
  const shown = representation.target ? metadata : ofItems(scope, metadata);
  return encodedResponse(200, presentedList(scope, hubs, shown, representation), representation);
}

/** Lists of custom resources always have `continue`, even when it is empty. */
const ofItems = ({ custom }: ResourceScope, metadata: ListMeta): ListMeta =>
  custom ? { continue: '', ...metadata } : metadata;

/** Converts objects from their hub version to a list in the requested representation. */
export function presentedList(
  scope: Presenter,
  hubs: readonly KubernetesObject[],
  metadata: ListMeta,
  representation: Representation,
): object {
  const { target, targetVersion } = representation;
  switch (target) {
    case 'Table':
      return asTable(scope, hubs, metadata, representation);
    case 'PartialObjectMetadataList':
      return {
        kind: target,
        apiVersion: targetVersion,
        metadata,
        items: hubs.map((hub) => partialMetadata(hub, targetVersion)),
      };
    case 'PartialObjectMetadata':
      throw noObject(scope);
    case undefined: {
      const items = hubs.map((hub) => {
        if (scope.itemsSayKind) return scope.toVersion(hub);
        const { kind: _, apiVersion: __, ...item } = scope.toVersion(hub);
        return item;
      });
      const { apiVersion } = scope.kind;
      return { kind: scope.listKind, apiVersion, metadata, items };
    }
  }
}

/** The name of upstream's internal Go type. */
const goType = ({ kind }: Presenter): string => `*${kind.group.split('.', 1)[0] || 'core'}.${kind.kind}`;

const wrongTarget = (what: string): ApiError =>
  new ApiError({
    ...toStatus(new Error(`you requested ${what}`)),
    reason: 'NotAcceptable',
    code: 406,
  });

const noList = (scope: Presenter): ApiError =>
  wrongTarget(`PartialObjectMetadataList, but the requested object is not a list (${goType(scope)})`);
const noObject = (scope: Presenter): ApiError =>
  wrongTarget(`PartialObjectMetadata, but the requested object is a list (${goType(scope)}List)`);
